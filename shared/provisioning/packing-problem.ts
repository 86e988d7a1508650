import { label } from "../api/labels.ts";
import { allows, describeRequirement, type Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import type { NodeRule, PackingColumn, PackingItem, PackingProblem } from "./packing/problem.ts";
import { undominatedColumns, withColumns } from "./packing/prune.ts";
import type { PoolHeadroom } from "./pool-limits.ts";
import type { Topology } from "./topology.ts";

/** A packing problem with what its indexes stand for. */
export interface PosedProblem {
  readonly problem: PackingProblem;
  /** By column. */
  readonly options: readonly NodeOption[];
  /** By item. */
  readonly units: readonly Unit[];
}

/** Poses the packing of these units: the one place where Kubernetes' terms become indexes and numbers. */
export function poseProblem(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  topology: Topology,
  headroom: readonly PoolHeadroom[],
): PosedProblem {
  const options = [...new Set(units.flatMap((unit) => sharedOptions(demands, unit.parts)))].sort(compareOptions);
  const dimensions = dimensionsOf(demands);
  const zones = [...new Set(options.flatMap((option) => option.offerings.map((offering) => offering.zone)))].sort();
  const limitDimensions = [...new Set(headroom.flatMap((pool) => Object.keys(pool.left)))].sort();
  const pools = headroom.map(({ name, left }) => ({
    name,
    headroom: Float64Array.from(limitDimensions, (dimension) => left[dimension] ?? Number.POSITIVE_INFINITY),
  }));
  const problem: PackingProblem = {
    dimensions,
    zones,
    items: units.map((unit) => toItem(demands, unit, options, dimensions, zones)),
    columns: options.map((option) => toColumn(option, dimensions, zones, limitDimensions, pools)),
    rules: [...hostnameRules(demands, units, topology), ...exclusiveRules(demands, units, options)],
    pools,
    limitDimensions,
  };
  const kept = undominatedColumns(problem);
  return { problem: withColumns(problem, kept), options: kept.flatMap((index) => options[index] ?? []), units };
}

function compareOptions(a: NodeOption, b: NodeOption): number {
  const nameA = `${a.pool}/${a.instanceType.name}/${a.capacityType}`;
  const nameB = `${b.pool}/${b.instanceType.name}/${b.capacityType}`;
  return nameA < nameB ? -1 : nameA > nameB ? 1 : 0;
}

function dimensionsOf(demands: readonly NewDemand[]): readonly string[] {
  const requested = demands.flatMap(({ podClass }) =>
    Object.entries(podClass.constraints.requests).flatMap(([resource, amount]) => (amount > 0 ? [resource] : [])),
  );
  return [...new Set(requested)].sort();
}

function toItem(
  demands: readonly NewDemand[],
  unit: Unit,
  options: readonly NodeOption[],
  dimensions: readonly string[],
  zones: readonly string[],
): PackingItem {
  const accepted = new Set(sharedOptions(demands, unit.parts));
  const allowedIn = (zone: string) => unit.parts.every(({ demand }) => allowsZone(demands[demand], zone));
  return {
    requests: toVector(unitRequests(demands, unit.parts), dimensions),
    count: unit.count,
    zoneMask: zones.reduce((mask, zone, index) => (allowedIn(zone) ? mask | (1 << index) : mask), 0),
    accepts: Uint8Array.from(options, (option) => (accepted.has(option) ? 1 : 0)),
  };
}

function allowsZone(demand: NewDemand | undefined, zone: string): boolean {
  const pinned = demand?.domains.get(label.zone);
  const wanted = demand?.requirements.get(label.zone);
  return (pinned === undefined || pinned === zone) && (wanted === undefined || allows(wanted, zone));
}

function toColumn(
  option: NodeOption,
  dimensions: readonly string[],
  zones: readonly string[],
  limitDimensions: readonly string[],
  pools: PackingProblem["pools"],
): PackingColumn {
  const prices = new Map(option.offerings.map((offering) => [offering.zone, offering.priceUsdPerHour]));
  return {
    name: `${option.pool}/${option.instanceType.name}/${option.capacityType}`,
    pool: pools.findIndex((pool) => pool.name === option.pool),
    capacity: toVector(option.free, dimensions),
    zonePrices: Float64Array.from(zones, (zone) => prices.get(zone) ?? Number.POSITIVE_INFINITY),
    limitUse: toVector({ ...option.instanceType.capacity, nodes: 1 }, limitDimensions),
  };
}

function toVector(resources: Resources, dimensions: readonly string[]): Float64Array {
  return Float64Array.from(dimensions, (dimension) => resources[dimension] ?? 0);
}

function hostnameRules(demands: readonly NewDemand[], units: readonly Unit[], topology: Topology): readonly NodeRule[] {
  const groups = new Set(demands.flatMap(({ podClass }) => topology.of(podClass.constraints).owned));
  return [...groups].flatMap((group): readonly NodeRule[] => {
    if (group.key !== label.hostname || group.kind === "affinity") return [];
    const owns = Uint8Array.from(units, (unit) => Number(countParts(demands, unit, (demand) => isOwner(demand)) > 0));
    const matches = Int32Array.from(units, (unit) =>
      countParts(demands, unit, (demand) => group.matches(demand.podClass.constraints)),
    );
    return [
      group.kind === "spread"
        ? { kind: "spread", max: group.maxSkew, matches, owns }
        : { kind: "anti-affinity", matches, owns },
    ];

    function isOwner(demand: NewDemand): boolean {
      return topology.of(demand.podClass.constraints).owned.includes(group);
    }
  });
}

function countParts(demands: readonly NewDemand[], unit: Unit, counts: (demand: NewDemand) => boolean): number {
  return unit.parts.reduce((sum, part) => {
    const demand = demands[part.demand];
    return demand !== undefined && counts(demand) ? sum + part.pods : sum;
  }, 0);
}

/** Keys that an option settles by itself: two pods that accept the option agree on them. */
const settledByOffering: ReadonlySet<string> = new Set([label.zone, label.capacityType, label.hostname]);

/** Where an option leaves a label open and pods want it differently, they do not share a node. */
function exclusiveRules(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  options: readonly NodeOption[],
): readonly NodeRule[] {
  const wanted = demands.map(wantedRequirements);
  const keys = new Set(wanted.flatMap((requirements) => [...requirements.keys()]));
  const open = [...keys].filter(
    (key) => !settledByOffering.has(key) && options.some((option) => !isSettled(option.requirements, key)),
  );
  return open.flatMap((key): readonly NodeRule[] => {
    const texts = units.map((unit) => unit.parts.map(({ demand }) => wanted[demand]?.get(key) ?? "").join("|"));
    const distinct = [...new Set(texts.filter((text) => text.replaceAll("|", "") !== ""))];
    const colours = Int32Array.from(texts, (text) => distinct.indexOf(text) + 1);
    return distinct.length > 1 ? [{ kind: "exclusive", colours }] : [];
  });
}

function wantedRequirements(demand: NewDemand): ReadonlyMap<string, string> {
  const wanted = [...demand.requirements.values()].map(
    (requirement) => [requirement.key, describeRequirement(requirement)] as const,
  );
  return new Map([...wanted, ...demand.domains]);
}

function isSettled(requirements: Requirements, key: string): boolean {
  const requirement = requirements.get(key);
  return requirement !== undefined && !requirement.complement && requirement.values.size === 1;
}
