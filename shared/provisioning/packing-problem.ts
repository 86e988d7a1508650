import { label } from "../api/labels.ts";
import { allows } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import { sharingRules } from "./node-sharing.ts";
import { openLabelRules } from "./open-labels.ts";
import type { PackingColumn, PackingItem, PackingProblem } from "./packing/problem.ts";
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
  const optionsByUnit = units.map((unit) => sharedOptions(demands, unit.parts));
  const options = [...new Set(optionsByUnit.flat())].sort(compareOptions);
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
    items: units.map((unit, index) => ({
      ...toItem(demands, unit, dimensions, zones),
      accepts: acceptedColumns(optionsByUnit[index] ?? [], options),
    })),
    columns: options.map((option) => toColumn(option, dimensions, zones, limitDimensions, pools)),
    rules: [...sharingRules(demands, units, topology), ...openLabelRules(demands, units, options, pools)],
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

function acceptedColumns(accepted: readonly NodeOption[], options: readonly NodeOption[]): Uint8Array {
  const set = new Set(accepted);
  return Uint8Array.from(options, (option) => (set.has(option) ? 1 : 0));
}

function toItem(
  demands: readonly NewDemand[],
  unit: Unit,
  dimensions: readonly string[],
  zones: readonly string[],
): Omit<PackingItem, "accepts"> {
  const allowedIn = (zone: string) => unit.parts.every(({ demand }) => allowsZone(demands[demand], zone));
  return {
    requests: toVector(unitRequests(demands, unit.parts), dimensions),
    count: unit.count,
    zoneMask: zones.reduce((mask, zone, index) => (allowedIn(zone) ? mask | (1 << index) : mask), 0),
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
