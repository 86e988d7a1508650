import type { Resources } from "../scheduling/resources.ts";
import type { Settings } from "../state/settings.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import { allowsZone } from "./demand-zones.ts";
import { minValuesRules } from "./min-values.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { sharingRules } from "./node-sharing.ts";
import { openLabelRules } from "./open-labels.ts";
import type { PackingColumn, PackingItem, PackingProblem } from "./packing/problem.ts";
import { undominatedColumns, withColumns } from "./packing/prune.ts";
import type { PoolHeadroom } from "./pool-limits.ts";
import { reservedNodes } from "./reserved-places.ts";
import { attachmentDimensions, attachmentRules } from "./shared-attachments.ts";
import type { Topology } from "./topology.ts";

/** A packing problem with what its indexes stand for. */
export interface PosedProblem {
  readonly problem: PackingProblem;
  /** By column. */
  readonly options: readonly NodeOption[];
  /** By item. */
  readonly units: readonly Unit[];
}

/** What a packing takes into account beside the demands. */
export interface PackingContext {
  readonly topology: Topology;
  readonly pools: readonly PoolOptions[];
  /** Of the same pools. */
  readonly headroom: readonly PoolHeadroom[];
  readonly minValuesPolicy: Settings["minValuesPolicy"];
}

/** Poses the packing of these units: the one place where Kubernetes' terms become indexes and numbers. */
export function poseProblem(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  { topology, headroom, pools: poolOptions, minValuesPolicy }: PackingContext,
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
  const reservations = [...reservedNodes(options)].map(([name, nodes]) => ({ name, nodes }));
  const problem: PackingProblem = {
    dimensions,
    zones,
    items: units.map((unit, index) => ({
      ...toItem(demands, unit, dimensions, zones),
      accepts: acceptedColumns(optionsByUnit[index] ?? [], options),
    })),
    columns: options.map((option) => toColumn(option, dimensions, zones, limitDimensions, pools, reservations)),
    rules: [
      ...sharingRules(demands, units, topology),
      ...openLabelRules(demands, units, options, pools),
      ...attachmentRules(demands, units, dimensions),
      ...minValuesRules({
        demands,
        units,
        optionsByUnit,
        pools: poolOptions,
        dimensions,
        zones,
        bestEffort: minValuesPolicy === "BestEffort",
      }),
    ],
    pools,
    limitDimensions,
    reservations,
  };
  const kept = undominatedColumns(problem);
  return { problem: withColumns(problem, kept), options: kept.flatMap((index) => options[index] ?? []), units };
}

function compareOptions(a: NodeOption, b: NodeOption): number {
  const [nameA, nameB] = [columnName(a), columnName(b)];
  return nameA < nameB ? -1 : nameA > nameB ? 1 : 0;
}

function columnName({ pool, instanceType, capacityType, reservationId }: NodeOption): string {
  const name = `${pool}/${instanceType.name}/${capacityType}`;
  return reservationId === undefined ? name : `${name}/${reservationId}`;
}

function dimensionsOf(demands: readonly NewDemand[]): readonly string[] {
  const requested = demands.flatMap(({ constraints }) =>
    Object.entries(constraints.requests).flatMap(([resource, amount]) => (amount > 0 ? [resource] : [])),
  );
  return [...new Set([...requested, ...attachmentDimensions(demands)])].sort();
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

function toColumn(
  option: NodeOption,
  dimensions: readonly string[],
  zones: readonly string[],
  limitDimensions: readonly string[],
  pools: PackingProblem["pools"],
  reservations: NonNullable<PackingProblem["reservations"]>,
): PackingColumn {
  const reservation = reservations.findIndex(({ name }) => name === option.reservationId);
  const prices = new Map(
    option.offerings.map((offering) => [offering.zone, Math.max(leastPriceUsdPerHour, offering.priceUsdPerHour)]),
  );
  return {
    name: columnName(option),
    pool: pools.findIndex((pool) => pool.name === option.pool),
    capacity: toVector(option.free, dimensions),
    zonePrices: Float64Array.from(zones, (zone) => prices.get(zone) ?? Number.POSITIVE_INFINITY),
    limitUse: toVector({ ...option.instanceType.capacity, nodes: 1 }, limitDimensions),
    ...(reservation >= 0 && { reservation }),
  };
}

/** What NodeOverlays make free still has a price here: value per dollar has no meaning at 0. */
const leastPriceUsdPerHour = 1e-12;

function toVector(resources: Resources, dimensions: readonly string[]): Float64Array {
  return Float64Array.from(dimensions, (dimension) => resources[dimension] ?? 0);
}
