import { sharesAt, type Worths } from "./configuration-bound.ts";
import type { ConfigurationModel } from "./configuration-model.ts";
import type { ConfigurationPricer, OptionPattern } from "./configuration-pricing.ts";
import { CoveringProgram, type ProgramColumn } from "./covering-program.ts";
import type { ZoneAmounts } from "./zone-shares.ts";

const pivotsPerRow = 20;
const leastUses = 1e-6;

/**
 * The linear program over the patterns known so far. Its rows are those of the items' demand, then one for each item that zones share,
 * which is to be shared out once, then what headroom is left.
 */
export class ConfigurationProgram {
  readonly #model: ConfigurationModel;
  readonly #program: CoveringProgram;
  readonly #demand: Float64Array;
  /** By merged item; -1 where it has none. */
  readonly #sharesRow: Int32Array;
  readonly #headroomRow: number;
  /** By column of the program; undefined for a way to share out. */
  readonly #patterns: (OptionPattern | undefined)[] = [];
  readonly #knownShares = new Set<string>();

  constructor(model: ConfigurationModel, pricer: ConfigurationPricer) {
    const { items, headroom, itemOfRow } = model;
    this.#model = model;
    let rows = itemOfRow.length;
    this.#sharesRow = Int32Array.from(items, ({ ranges }) => (ranges === undefined ? -1 : rows++));
    this.#headroomRow = rows;
    const alone = Array.from(itemOfRow, (_, row) => patternAlone(model, pricer, row));
    const each = Float64Array.from(alone, (pattern) => this.#priceEach(pattern));
    this.#demand = this.#demandOf(alone);
    this.#program = new CoveringProgram(this.#demand, this.#startPrices(each));
    // Where there are limits, nodes of one kind alone may break them: the program starts from what is made up.
    const isFree = headroom.length === 0;
    for (const [row, pattern] of alone.entries())
      if (pattern !== undefined) this.add(pattern, isFree ? row : undefined);
    for (const item of items.keys()) this.addShares(item, sharesAt(model, item, each), isFree);
  }

  /** The duals, and what all costs with the patterns there are. */
  solve(): { readonly worths: Worths; readonly cost: number } {
    this.#program.solve(pivotsPerRow * this.#demand.length);
    const duals = this.#program.duals();
    const ofRows = duals.slice(0, this.#model.itemOfRow.length);
    const cost = duals.reduce((sum, dual, row) => sum + dual * (this.#demand[row] ?? 0), 0);
    return { worths: { ofRows, ofHeadroom: duals.slice(this.#headroomRow) }, cost };
  }

  add(pattern: OptionPattern, startRow?: number): void {
    const { headroom, options } = this.#model;
    const { rows = new Int32Array(), price = 0 } = options[pattern.option] ?? {};
    const own = [...rows.keys()].filter((entry) => (pattern.amounts[entry] ?? 0) > 0);
    const taken = [...headroom.keys()].filter((index) => (headroom[index]?.uses[pattern.option] ?? 0) > 0);
    this.#patterns.push(pattern);
    const column = {
      price,
      rows: Int32Array.from([
        ...own.map((entry) => rows[entry] ?? -1),
        ...taken.map((index) => this.#headroomRow + index),
      ]),
      amounts: Float64Array.from([
        ...own.map((entry) => pattern.amounts[entry] ?? 0),
        ...taken.map((index) => -(headroom[index]?.uses[pattern.option] ?? 0)),
      ]),
    };
    this.#addColumn(column, startRow);
  }

  /** A way to share an item's units out; returns whether it is new. */
  addShares(item: number, shares: ZoneAmounts | undefined, isStart = false): boolean {
    const key = `${item} ${shares?.units.join()}`;
    if (shares === undefined || this.#knownShares.has(key)) return false;
    this.#knownShares.add(key);
    this.#patterns.push(undefined);
    const rows = this.#model.items[item]?.rows ?? [];
    const amounts = new Float64Array(rows.length + 1);
    this.#model.kindOfZone.forEach((kind, zone) => {
      amounts[kind] = (amounts[kind] ?? 0) - (shares.units[zone] ?? 0);
    });
    amounts[rows.length] = 1;
    const sharesRow = this.#sharesRow[item] ?? -1;
    this.#addColumn({ price: 0, rows: Int32Array.of(...rows, sharesRow), amounts }, isStart ? sharesRow : undefined);
    return true;
  }

  patternsUsed() {
    const uses = this.#program.uses();
    return this.#patterns.flatMap((pattern, index) => {
      const { column = -1, zone = -1 } = this.#model.options[pattern?.option ?? -1] ?? {};
      const used = uses[index] ?? 0;
      return pattern === undefined || used < leastUses ? [] : [{ column, zone, units: pattern.units, uses: used }];
    });
  }

  #addColumn(column: ProgramColumn, startRow: number | undefined): void {
    if (startRow === undefined) this.#program.add(column);
    else this.#program.startWith(column, startRow);
  }

  /** Units that no node takes are not asked for. */
  #demandOf(alone: readonly (OptionPattern | undefined)[]): Float64Array {
    const { items, headroom } = this.#model;
    const demand = new Float64Array(this.#headroomRow + headroom.length);
    for (const [item, { rows, ranges, count }] of items.entries()) {
      const [first = -1] = rows;
      if (ranges !== undefined) demand[this.#sharesRow[item] ?? -1] = 1;
      else if (alone[first] !== undefined) demand[first] = count;
    }
    headroom.forEach(({ left }, index) => {
      demand[this.#headroomRow + index] = -left;
    });
    return demand;
  }

  /** What is made up must cost more than what is real, and limits can make that much dearer than it is alone. */
  #startPrices(each: Float64Array): Float64Array {
    const { items, headroom, itemOfRow } = this.#model;
    const dearness = headroom.length > 0 ? 100 : 1.001;
    const prices = new Float64Array(this.#demand.length);
    itemOfRow.forEach((_, row) => {
      prices[row] = dearness * (each[row] ?? 0);
    });
    for (const [item, { rows, count, ranges }] of items.entries()) {
      const sharesRow = this.#sharesRow[item] ?? -1;
      if (ranges !== undefined) prices[sharesRow] = dearness * count * Math.max(...rows.map((row) => each[row] ?? 0));
    }
    return prices;
  }

  #priceEach(pattern: OptionPattern | undefined): number {
    if (pattern === undefined) return 0;
    return (this.#model.options[pattern.option]?.price ?? 0) / Math.max(...pattern.amounts);
  }
}

/** The node with nothing but units of one row that is cheapest for each; undefined where no node takes any. */
function patternAlone(model: ConfigurationModel, pricer: ConfigurationPricer, row: number): OptionPattern | undefined {
  const { sizes = new Float64Array(), mostPerNode = 0 } = model.items[model.itemOfRow[row] ?? -1] ?? {};
  const rated = model.options.flatMap(({ rows, price, capacity }, option) => {
    const entry = rows.indexOf(row);
    let fitting = entry === -1 ? 0 : mostPerNode;
    for (const [dimension, size] of sizes.entries()) {
      if (size > 0) fitting = Math.min(fitting, Math.floor((capacity[dimension] ?? 0) / size));
    }
    return fitting > 0 ? [{ option, entry, fitting, rate: price / fitting, entries: rows.length }] : [];
  });
  for (const { option, entry, fitting, entries } of rated.sort((a, b) => a.rate - b.rate || a.option - b.option)) {
    const wanted = new Int32Array(entries);
    wanted[entry] = fitting;
    const pattern = pricer.realise(option, wanted);
    if ((pattern.amounts[entry] ?? 0) > 0) return pattern;
  }
  return undefined;
}
