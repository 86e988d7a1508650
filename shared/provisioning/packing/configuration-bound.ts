import { mostOnNode } from "./configuration-items.ts";
import type { ConfigurationModel } from "./configuration-model.ts";
import { strictestRules } from "./cover-bound.ts";
import { cheapestCover, dot } from "./linear-program.ts";
import { marketWorths } from "./market-bound.ts";
import { demandOfItems, type PackingProblem } from "./problem.ts";
import { cheapestShares, type ZoneAmounts } from "./zone-shares.ts";

/** What a unit of each row is worth, and what a unit of each headroom costs. */
export interface Worths {
  readonly ofRows: Float64Array;
  readonly ofHeadroom: Float64Array;
}

/**
 * The worth of all items less that of all headroom, once nothing that an option may hold is worth more than its price. `uppers` are
 * upper limits of what each holds at these worths. Where they are above the price, the worths of that kind of zone are scaled down
 * (Farley 1990); a reservation's places are worth whatever makes them so, because their price is next to nothing.
 */
export function boundAt(
  problem: PackingProblem,
  model: ConfigurationModel,
  worths: Worths,
  uppers: Float64Array,
): { readonly bound: number; readonly worths: Worths } {
  const net = netWorths(model, worths, uppers);
  const scales = scalesOf(problem, model, net);
  const least = Math.min(...scales);
  const ofRows = worths.ofRows.map((worth, row) => {
    const { rows = [], ranges } = model.items[model.itemOfRow[row] ?? -1] ?? {};
    return worth * (ranges === undefined ? least : (scales[rows.indexOf(row)] ?? 0));
  });
  const ofHeadroom = worths.ofHeadroom.map((worth, index) => {
    const { reservation } = model.headroom[index] ?? {};
    if (reservation === undefined) return worth * least;
    const savings = model.options.map(({ column, price, kind }, option) =>
      problem.columns[column]?.reservation === reservation ? (scales[kind] ?? 1) * (net[option] ?? 0) - price : 0,
    );
    return Math.max(0, ...savings);
  });
  let bound = 0;
  for (const [item, { rows, ranges, count }] of model.items.entries()) {
    bound += ranges === undefined ? count * (ofRows[rows[0] ?? -1] ?? 0) : (sharesAt(model, item, ofRows)?.cost ?? 0);
  }
  model.headroom.forEach(({ left }, index) => {
    bound -= left * (ofHeadroom[index] ?? 0);
  });
  return { bound, worths: { ofRows, ofHeadroom } };
}

/** Of limits alone. */
function netWorths(
  { headroom, options }: ConfigurationModel,
  { ofHeadroom }: Worths,
  uppers: Float64Array,
): Float64Array {
  return Float64Array.from(options, (_, option) =>
    headroom.reduce(
      (worth, { reservation, uses }, index) =>
        reservation === undefined ? worth - (ofHeadroom[index] ?? 0) * (uses[option] ?? 0) : worth,
      uppers[option] ?? 0,
    ),
  );
}

/** By kind of zone. Limits count in all of them: with limits there is one scale. */
function scalesOf(problem: PackingProblem, { options, kindOfZone, headroom }: ConfigurationModel, net: Float64Array) {
  const scales = new Float64Array(Math.max(0, ...kindOfZone) + 1).fill(1);
  for (const [index, { column, price, kind }] of options.entries()) {
    if (problem.columns[column]?.reservation !== undefined) continue;
    scales[kind] = Math.min(scales[kind] ?? 1, price / Math.max(price, net[index] ?? 0));
  }
  const isLimited = headroom.some(({ reservation }) => reservation === undefined);
  return isLimited ? scales.fill(Math.min(...scales)) : scales;
}

/** The cheapest way to share an item's units out, at these worths. */
export function sharesAt(model: ConfigurationModel, item: number, ofRows: Float64Array): ZoneAmounts | undefined {
  const { rows, ranges = [], count } = model.items[item] ?? { rows: [], count: 0 };
  const costs = Float64Array.from(model.kindOfZone, (kind) => ofRows[rows[kind] ?? -1] ?? 0);
  return cheapestShares(ranges, count, costs);
}

/**
 * Where worths are sought from: what resources are worth by the resource LP over all options of each kind of zone, or, where kinds of
 * zones make no difference, on the market that serves an item, whichever is more in all.
 */
export function firstWorths(problem: PackingProblem, model: ConfigurationModel): Worths {
  const ofHeadroom = new Float64Array(model.headroom.length);
  const covered = { ofRows: coverWorths(problem, model), ofHeadroom };
  if (model.items.some(({ ranges }) => ranges !== undefined)) return covered;
  const members = model.items.flatMap((item) => item.members);
  const { bound, worths } = marketWorths(problem, members);
  const total = model.items.reduce((sum, { count }, row) => sum + count * (covered.ofRows[row] ?? 0), 0);
  if (bound <= total) return covered;
  const served = new Set(model.options.flatMap(({ rows }) => [...rows]));
  const worthOf = (row: number) => worths.get(model.items[row]?.members[0] ?? -1) ?? 0;
  return { ofRows: Float64Array.from(model.items, (_, row) => (served.has(row) ? worthOf(row) : 0)), ofHeadroom };
}

function coverWorths(problem: PackingProblem, model: ConfigurationModel): Float64Array {
  const members = model.items.flatMap((item) => item.members);
  const rules = strictestRules(problem, members);
  const mostOfRules = rules.map(({ rule }) => mostOnNode(rule));
  const sizes = model.items.map(({ members: [first = -1], sizes: own }) =>
    Float64Array.of(
      ...own.subarray(0, problem.dimensions.length),
      ...rules.map(({ rule }) => (rule.owns[first] === 1 ? (rule.matches[first] ?? 0) : 0)),
    ),
  );
  const demand = Float64Array.of(...demandOfItems(problem, members), ...rules.map(({ pods }) => pods));
  const bought = model.options.filter(({ column }) => problem.columns[column]?.reservation === undefined);
  const duals = new Map(
    [...Map.groupBy(bought, ({ kind }) => kind)].map(([kind, own]) => {
      const columns = own.map(({ price, capacity }) => ({
        price,
        amounts: Float64Array.of(...capacity.subarray(0, problem.dimensions.length), ...mostOfRules),
      }));
      return [kind, cheapestCover(columns, demand).duals] as const;
    }),
  );
  const served = new Set(bought.flatMap(({ rows }) => [...rows]));
  return Float64Array.from(model.itemOfRow, (item, row) => {
    if (!served.has(row)) return 0;
    const { rows = [], ranges } = model.items[item] ?? {};
    const worthIn = (kind: number) => dot(duals.get(kind) ?? new Float64Array(), sizes[item] ?? new Float64Array());
    return ranges === undefined ? Math.min(...[...duals.keys()].map(worthIn)) : worthIn(rows.indexOf(row));
  });
}
