import { alikeItems, comparedVectors, type MergedItem, mergedItem, sharedRules } from "./configuration-items.ts";
import { type ConfigurationOption, optionsOf } from "./configuration-options.ts";
import type { PackingProblem, ZoneRange } from "./problem.ts";
import { kindsOfZones, sharesOf } from "./zone-shares.ts";

/** What patterns are made of. */
export interface ConfigurationModel {
  readonly items: readonly MergedItem[];
  /** By row, the merged item whose demand it is. */
  readonly itemOfRow: Int32Array;
  /** By zone. */
  readonly kindOfZone: Int32Array;
  /** Cheapest first. */
  readonly options: readonly ConfigurationOption[];
  readonly headroom: readonly HeadroomRow[];
}

/** Something that nodes take of and of which only so much is left. */
export interface HeadroomRow {
  readonly left: number;
  /** By option. */
  readonly uses: Float64Array;
  /** Set for a reservation's places. */
  readonly reservation?: number;
}

/**
 * The problem with equal items merged and without the options that another one dominates, in an order that follows from what they are,
 * not from where they stand. Undefined where there are too many items.
 */
export function configurationModel(problem: PackingProblem, mostItems: number): ConfigurationModel | undefined {
  const groups = alikeItems(problem);
  if (groups.length > mostItems) return undefined;
  const shared = sharedRules(problem, groups);
  const kinds = kindsOfZones(problem);
  const kindCount = Math.max(0, ...kinds) + 1;
  let rowCount = 0;
  const items = groups
    .map((members) => mergedItem(problem, members, shared))
    .sort((a, b) => comparedVectors(b.sizes, a.sizes) || b.count - a.count)
    .map((item): MergedItem => {
      const ranges = kindCount > 1 ? servedRanges(problem, item) : undefined;
      const rows = Array.from({ length: ranges === undefined ? 1 : kindCount }, () => rowCount++);
      return { ...item, rows, ...(ranges && { ranges }) };
    });
  const itemOfRow = Int32Array.from(items.flatMap(({ rows }, item) => rows.map(() => item)));
  const isByZone = items.some(({ ranges }) => ranges !== undefined);
  const kindOfZone = isByZone ? kinds : new Int32Array(problem.zones.length);
  const options = optionsOf(problem, items, kindOfZone, shared);
  return { items, itemOfRow, kindOfZone, options, headroom: headroomRows(problem, options) };
}

/** The ranges of the rule that shares this item out, in the zones where it can be had; undefined where there is none, or no way to. */
function servedRanges(
  problem: PackingProblem,
  { members, count }: Pick<MergedItem, "members" | "count">,
): readonly ZoneRange[] | undefined {
  const item = problem.items[members[0] ?? -1];
  const isServed = (zone: number) =>
    item !== undefined &&
    (item.zoneMask & (1 << zone)) !== 0 &&
    problem.columns.some(({ zonePrices }, column) => item.accepts[column] === 1 && Number.isFinite(zonePrices[zone]));
  const served = problem.zones.map((_, zone) => isServed(zone));
  const ranges = sharesOf(problem, members)
    ?.ranges.map(({ least, most }) => ({
      least: least.map((amount, zone) => (served[zone] ? amount : 0)),
      most: most.map((amount, zone) => (served[zone] ? amount : 0)),
    }))
    .filter(({ least, most }) => sum(least) <= count && sum(most) >= count);
  return ranges === undefined || ranges.length === 0 ? undefined : ranges;
}

function sum(amounts: Float64Array): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** What the NodePools' limits and the reservations leave to the options. */
function headroomRows(problem: PackingProblem, options: readonly ConfigurationOption[]): readonly HeadroomRow[] {
  const columnOf = ({ column }: ConfigurationOption) => problem.columns[column];
  const limits = problem.pools.flatMap(({ headroom }, pool) =>
    [...headroom].flatMap((left, dimension): readonly HeadroomRow[] => {
      if (!Number.isFinite(left)) return [];
      const useOf = (option: ConfigurationOption) =>
        columnOf(option)?.pool === pool ? (columnOf(option)?.limitUse[dimension] ?? 0) : 0;
      return [{ left: Math.max(0, left), uses: Float64Array.from(options, useOf) }];
    }),
  );
  const reservations = (problem.reservations ?? []).map(({ nodes }, reservation) => ({
    left: nodes,
    reservation,
    uses: Float64Array.from(options, (option) => Number(columnOf(option)?.reservation === reservation)),
  }));
  // In terms of what the largest node takes: bytes and nodes are of one scale so.
  return [...limits, ...reservations].flatMap((row) => {
    const most = Math.max(0, ...row.uses);
    return most === 0 ? [] : [{ ...row, left: row.left / most, uses: row.uses.map((use) => use / most) }];
  });
}
