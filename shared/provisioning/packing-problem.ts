import type { Settings } from "../state/settings.ts";
import { allowsZone } from "./demand-zones.ts";
import { type DemandRole, equalUnits, type Lot } from "./equal-units.ts";
import { minValuesRules } from "./min-values.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import { sumOfCharges } from "./node-cost.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { NodeSharing } from "./node-sharing.ts";
import { openLabelRules } from "./open-labels.ts";
import type { PackingItem, PackingProblem } from "./packing/problem.ts";
import { type ColumnTerms, inOrderOfNames, poseColumns, toVector } from "./packing-columns.ts";
import type { PoolHeadroom } from "./pool-limits.ts";
import { reservedNodes } from "./reserved-places.ts";
import { attachmentDimensions, attachmentRules } from "./shared-attachments.ts";
import type { Topology } from "./topology.ts";
import { sharedOptions, unitRequests } from "./unit-options.ts";

/** A packing problem with what its indexes stand for. */
export interface PosedProblem {
  readonly problem: PackingProblem;
  /** By column. */
  readonly options: readonly NodeOption[];
  /** By item. */
  readonly units: readonly Unit[];
  /** By item: the equal units that it stands for, in the order in which they get their places. */
  readonly lots: readonly Lot[];
}

/** What a packing takes into account beside the demands. */
export interface PackingContext {
  readonly topology: Topology;
  readonly pools: readonly PoolOptions[];
  /** Of the same pools. */
  readonly headroom: readonly PoolHeadroom[];
  readonly minValuesPolicy: Settings["minValuesPolicy"];
}

/** How many nodes offerings may have, and what counts against which cap. */
export type ColumnCaps = Pick<ColumnTerms, "capsOf" | "offeringCaps">;
/** Caps for these options, by zone. */
export type CapFinder = (options: readonly NodeOption[], zones: readonly string[]) => ColumnCaps;

/**
 * Poses the packing of these units: the one place where Kubernetes' terms become indexes and numbers. Equal units are one item, of
 * which the first unit tells all.
 */
export function poseProblem(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  context: PackingContext,
  caps?: CapFinder,
  roleOf?: DemandRole,
): PosedProblem {
  const sharing = new NodeSharing(demands, context.topology);
  const lots = equalUnits(demands, units, sharing, roleOf);
  return { ...poseItems(demands, lots.map(together), sharing, context, caps), lots };
}

/** As one unit of the same parts that occurs as often as all of them. */
function together([first, ...others]: Lot): Unit {
  return { parts: first.parts, count: others.reduce((sum, { count }) => sum + count, first.count) };
}

function poseItems(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  sharing: NodeSharing,
  { headroom, pools: poolOptions, minValuesPolicy }: PackingContext,
  caps?: CapFinder,
): Omit<PosedProblem, "lots"> {
  const optionsByUnit = units.map((unit) => sharedOptions(demands, unit.parts));
  const options = inOrderOfNames(new Set([...new Set(optionsByUnit)].flat()));
  const dimensions = dimensionsOf(demands);
  const zones = [...zonesOf(options)].sort();
  const limitDimensions = [...new Set(headroom.flatMap((pool) => Object.keys(pool.left)))].sort();
  const pools = headroom.map(({ name, left }) => ({
    name,
    headroom: Float64Array.from(limitDimensions, (dimension) => left[dimension] ?? Number.POSITIVE_INFINITY),
  }));
  const reservations = [...reservedNodes(options)].map(([name, nodes]) => ({ name, nodes }));
  const { capsOf, ...capped } = caps?.(options, zones) ?? {};
  const terms = { dimensions, zones, limitDimensions, pools, reservations, ...capped };
  const items = units.map((unit) => toItem(demands, unit, dimensions, zones));
  const posed = poseColumns(items, options, optionsByUnit, {
    ...terms,
    ...(capsOf && { capsOf }),
    nodeChargeOfPool: nodeChargesByPool(poolOptions),
  });
  const problem: PackingProblem = {
    ...terms,
    items: posed.items,
    columns: posed.columns,
    rules: [
      ...sharing.rules(units),
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
  };
  return { problem, options: posed.options, units };
}

/** What a node of each pool costs beside its instance, USD per hour. */
export function nodeChargesByPool(pools: readonly PoolOptions[]): readonly number[] {
  return pools.map(({ nodeCharges }) => sumOfCharges(nodeCharges));
}

function zonesOf(options: readonly NodeOption[]): ReadonlySet<string> {
  const zones = new Set<string>();
  for (const { offerings } of options) for (const { zone } of offerings) zones.add(zone);
  return zones;
}

function dimensionsOf(demands: readonly NewDemand[]): readonly string[] {
  const requested = new Set<string>();
  for (const { constraints } of demands) {
    for (const resource in constraints.requests) if ((constraints.requests[resource] ?? 0) > 0) requested.add(resource);
  }
  return [...new Set([...requested, ...attachmentDimensions(demands)])].sort();
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
