import type { Settings } from "../state/settings.ts";
import { sharedOptions, unitRequests } from "./bundles.ts";
import { allowsZone } from "./demand-zones.ts";
import { minValuesRules } from "./min-values.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import { sharingRules } from "./node-sharing.ts";
import { openLabelRules } from "./open-labels.ts";
import type { PackingItem, PackingProblem } from "./packing/problem.ts";
import { inOrderOfNames, poseColumns, toVector } from "./packing-columns.ts";
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
  const options = inOrderOfNames(optionsByUnit.flat());
  const dimensions = dimensionsOf(demands);
  const zones = [...zonesOf(options)].sort();
  const limitDimensions = [...new Set(headroom.flatMap((pool) => Object.keys(pool.left)))].sort();
  const pools = headroom.map(({ name, left }) => ({
    name,
    headroom: Float64Array.from(limitDimensions, (dimension) => left[dimension] ?? Number.POSITIVE_INFINITY),
  }));
  const reservations = [...reservedNodes(options)].map(([name, nodes]) => ({ name, nodes }));
  const terms = { dimensions, zones, limitDimensions, pools, reservations };
  const items = units.map((unit) => toItem(demands, unit, dimensions, zones));
  const posed = poseColumns(items, options, optionsByUnit, terms);
  const problem: PackingProblem = {
    ...terms,
    items: posed.items,
    columns: posed.columns,
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
  };
  return { problem, options: posed.options, units };
}

function zonesOf(options: readonly NodeOption[]): ReadonlySet<string> {
  const zones = new Set<string>();
  for (const { offerings } of options) for (const { zone } of offerings) zones.add(zone);
  return zones;
}

function dimensionsOf(demands: readonly NewDemand[]): readonly string[] {
  const requested = demands.flatMap(({ constraints }) =>
    Object.entries(constraints.requests).flatMap(([resource, amount]) => (amount > 0 ? [resource] : [])),
  );
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
