import * as highs from "highs";
import type { NodeRule, PackingProblem } from "../../shared/provisioning/packing/problem.ts";

/** Its types are those of its CommonJS form. */
const load = highs.default as unknown as typeof highs.default.default;
type Solver = Awaited<ReturnType<typeof load>>;

/** Solves small packing problems exactly, as mixed-integer programs over all that a node may hold. */
export class ExactPacking {
  readonly #solver: Solver;

  private constructor(solver: Solver) {
    this.#solver = solver;
  }

  static async load(): Promise<ExactPacking> {
    return new ExactPacking(await load());
  }

  /** USD per hour of the cheapest packing of all items; undefined where there is none. */
  optimum(problem: PackingProblem): number | undefined {
    const model = modelOf(problem);
    if (model === undefined) return undefined;
    const { Status, ObjectiveValue } = this.#solver.solve(model, {
      mip_rel_gap: 0,
      mip_abs_gap: 1e-9,
      output_flag: false,
    });
    if (Status === "Infeasible") return undefined;
    if (Status !== "Optimal") throw new Error(`${Status} for\n${model}`);
    return ObjectiveValue;
  }
}

interface Contents {
  readonly column: number;
  readonly zone: number;
  readonly price: number;
  readonly units: readonly number[];
}

/** In the LP format; undefined where some item fits nowhere. */
function modelOf(problem: PackingProblem): string | undefined {
  const contents = allContents(problem);
  const term = (amount: number, index: number) => (amount === 0 ? [] : [`${amount} x${index}`]);
  const rows: string[] = [];
  for (const [item, { count }] of problem.items.entries()) {
    const terms = contents.flatMap(({ units }, index) => term(units[item] ?? 0, index));
    if (terms.length === 0) return undefined;
    rows.push(`${terms.join(" + ")} >= ${count}`);
  }
  for (const [pool, { headroom }] of problem.pools.entries()) {
    for (const [dimension, left] of headroom.entries()) {
      if (!Number.isFinite(left)) continue;
      const terms = contents.flatMap(({ column }, index) => {
        const { pool: of, limitUse } = problem.columns[column] ?? { pool: -1, limitUse: [] };
        return of === pool ? term(limitUse[dimension] ?? 0, index) : [];
      });
      if (terms.length > 0) rows.push(`${terms.join(" + ")} <= ${left}`);
    }
  }
  for (const [reservation, { nodes }] of (problem.reservations ?? []).entries()) {
    const terms = contents.flatMap(({ column }, index) =>
      problem.columns[column]?.reservation === reservation ? term(1, index) : [],
    );
    if (terms.length > 0) rows.push(`${terms.join(" + ")} <= ${nodes}`);
  }
  const shares = sharesRows(problem, contents);
  return [
    "Minimize",
    ` obj: ${contents.map(({ price }, index) => `${price} x${index}`).join(" + ")}`,
    "Subject To",
    ...[...rows, ...shares.rows].map((row, index) => ` r${index}: ${row}`),
    "General",
    ` ${[...contents.map((_, index) => `x${index}`), ...shares.amounts].join(" ")}`,
    ...(shares.choices.length > 0 ? ["Binary", ` ${shares.choices.join(" ")}`] : []),
    "End",
  ].join("\n");
}

/** Units of shared items in each zone: covered there, all in all as many as there are, and within the one range that is chosen. */
function sharesRows({ zoneShares = [], zones }: PackingProblem, contents: readonly Contents[]) {
  const rows: string[] = [];
  const amounts: string[] = [];
  const choices: string[] = [];
  for (const [index, { items, units, ranges }] of zoneShares.entries()) {
    const own = zones.map((_, zone) => `d${index}_${zone}`);
    const chosen = ranges.map((_, range) => `c${index}_${range}`);
    amounts.push(...own);
    choices.push(...chosen);
    rows.push(`${own.join(" + ")} = ${units}`, `${chosen.join(" + ")} = 1`);
    for (const zone of zones.keys()) {
      const inZone = contents.flatMap((content, position) => {
        const held = content.units.reduce((sum, amount, item) => (items[item] === 1 ? sum + amount : sum), 0);
        return content.zone === zone && held > 0 ? [`${held} x${position}`] : [];
      });
      rows.push(`${[...inZone, `0 ${own[zone]}`].join(" + ")} - ${own[zone]} >= 0`);
      const bounds = (side: "least" | "most") =>
        chosen.map((choice, range) => `- ${ranges[range]?.[side][zone] ?? 0} ${choice}`).join(" ");
      rows.push(`${own[zone]} ${bounds("least")} >= 0`, `${own[zone]} ${bounds("most")} <= 0`);
    }
  }
  return { rows, amounts, choices };
}

/**
 * What each node may hold, but for contents that are part of others', for no more money and no more of a limit in the same pool, reservation and zone: taking
 * pods off a node breaks no rule.
 */
function allContents(problem: PackingProblem): readonly Contents[] {
  const all = problem.columns.flatMap(({ zonePrices }, column) =>
    [...zonePrices].flatMap((price, zone) =>
      Number.isFinite(price) ? fillings(problem, column, zone).map((units) => ({ column, zone, price, units })) : [],
    ),
  );
  const kindOf = ({ column, zone }: Contents) => {
    const { pool, reservation, limitUse } = problem.columns[column] ?? {};
    return `${pool} ${reservation} ${limitUse?.join()} ${problem.zoneShares === undefined ? "" : zone}`;
  };
  return [...Map.groupBy(all, kindOf).values()].flatMap((own) => {
    const size = ({ units }: Contents) => units.reduce((sum, amount) => sum + amount, 0);
    const kept: Contents[] = [];
    for (const contents of own.sort((a, b) => a.price - b.price || size(b) - size(a))) {
      if (!kept.some(({ units }) => isWithin(contents.units, units))) kept.push(contents);
    }
    return kept;
  });
}

function isWithin(units: readonly number[], other: readonly number[]): boolean {
  return units.every((amount, item) => amount <= (other[item] ?? 0));
}

function fillings(problem: PackingProblem, column: number, zone: number): readonly (readonly number[])[] {
  let all: (readonly number[])[] = [[]];
  for (const { count, accepts, zoneMask } of problem.items) {
    const most = accepts[column] === 1 && (zoneMask & (1 << zone)) !== 0 ? count : 0;
    all = all.flatMap((units) =>
      Array.from({ length: most + 1 }, (_, amount) => [...units, amount]).filter((more) =>
        mayHold(problem, column, more),
      ),
    );
  }
  return all.filter((units) => units.some((amount) => amount > 0));
}

/** Whether a node of this column may hold these units of the first items. */
export function mayHold(problem: PackingProblem, column: number, units: readonly number[]): boolean {
  const { capacity, pool } = problem.columns[column] ?? { capacity: new Float64Array(), pool: -1 };
  const used = (dimension: number) =>
    units.reduce((sum, amount, item) => sum + amount * (problem.items[item]?.requests[dimension] ?? 0), 0);
  return (
    capacity.every((amount, dimension) => used(dimension) <= amount) &&
    problem.rules.every((rule) => keeps(rule, units, pool))
  );
}

function keeps(rule: NodeRule, units: readonly number[], pool: number): boolean {
  const present = [...units.keys()].filter((item) => (units[item] ?? 0) > 0);
  switch (rule.kind) {
    case "spread":
    case "anti-affinity": {
      const matching = present.reduce((sum, item) => sum + (units[item] ?? 0) * (rule.matches[item] ?? 0), 0);
      const owners = present.filter((item) => rule.owns[item] === 1);
      if (owners.length === 0) return true;
      if (rule.kind === "spread") return matching <= rule.max;
      const [owner = -1] = owners;
      const isAlone = owners.length === 1 && units[owner] === 1 && matching === (rule.matches[owner] ?? 0);
      return matching === 0 || (isAlone && matching === 1);
    }
    case "label": {
      const common = present.reduce(
        (bits, item) => bits & (rule.valuesOfItem[item] ?? 0n),
        rule.valuesOfPool[pool] ?? 0n,
      );
      return common !== 0n;
    }
    case "attachments":
    case "min-values":
      throw new Error(`${rule.kind} is not modelled`);
  }
}
