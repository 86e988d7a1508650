import type { ConfigurationModel } from "./configuration-model.ts";
import type { ConfigurationOption } from "./configuration-options.ts";
import { KnapsackSearch } from "./knapsack.ts";
import { capacityWorths, type Knapsack, mostWorth } from "./knapsack-relaxation.ts";
import { addUnits, openNode, unitsByItem } from "./node-filling.ts";
import type { PackingProblem } from "./problem.ts";

/** Contents of one node of an option. */
export interface OptionPattern {
  readonly option: number;
  /** By entry of the option's rows. */
  readonly amounts: Int32Array;
  /** By item of the problem. */
  readonly units: Int32Array;
}

/** What a node of an option can be worth. */
export interface OptionWorth {
  /** No contents are worth more. */
  readonly upper: number;
  /** Contents worth more than asked for, where some were found. */
  readonly pattern?: OptionPattern;
}

/** Finds contents worth most, by the worth of a unit of each row. */
export class ConfigurationPricer {
  /** Steps taken by all searches so far. */
  nodes = 0;
  readonly #problem: PackingProblem;
  readonly #model: ConfigurationModel;
  /** By option: what its capacity was worth last, which is a good guess of what it is worth now. */
  readonly #worths: (Float64Array | undefined)[] = [];

  constructor(problem: PackingProblem, model: ConfigurationModel) {
    this.#problem = problem;
    this.#model = model;
  }

  /** Contents of this option worth more than `target`, looked for in so many steps. */
  price(optionIndex: number, worthOfRows: Float64Array, target: number, mostNodes: number): OptionWorth {
    const option = this.#model.options[optionIndex];
    if (option === undefined) return { upper: 0 };
    const entries = Int32Array.from(option.rows.keys()).filter(
      (entry) => (worthOfRows[option.rows[entry] ?? -1] ?? 0) > 0,
    );
    const knapsack = this.#knapsackOf(option, entries, worthOfRows);
    const guess = this.#worths[optionIndex];
    const guessed = guess === undefined ? Number.POSITIVE_INFINITY : mostWorth(knapsack, guess);
    if (guessed <= target) return { upper: guessed };
    const worths = capacityWorths(knapsack);
    this.#worths[optionIndex] = worths;
    const relaxed = Math.min(guessed, mostWorth(knapsack, worths));
    if (relaxed <= target) return { upper: relaxed };
    const search = new KnapsackSearch(knapsack, worths, target, mostNodes);
    const { upper, units } = search.run();
    this.nodes += search.nodes;
    const least = Math.min(relaxed, upper);
    if (units === undefined) return { upper: least };
    const wanted = new Int32Array(option.rows.length);
    entries.forEach((entry, thing) => {
      wanted[entry] = units[thing] ?? 0;
    });
    const pattern = this.realise(optionIndex, wanted);
    const worth = pattern.amounts.reduce(
      (sum, amount, entry) => sum + amount * (worthOfRows[option.rows[entry] ?? -1] ?? 0),
      0,
    );
    return worth > target ? { upper: least, pattern } : { upper: least };
  }

  /** As much of these contents as a node may hold by all rules. */
  realise(optionIndex: number, wanted: Int32Array): OptionPattern {
    const { column = -1, zone = -1, rows } = this.#model.options[optionIndex] ?? {};
    const node = openNode(this.#problem, column, zone);
    const amounts = wanted.map((amount, entry) => {
      let left = amount;
      for (const member of this.#itemOfRow(rows?.[entry])?.members ?? []) {
        if (left === 0) break;
        left -= addUnits(this.#problem, node, member, Math.min(left, this.#problem.items[member]?.count ?? 0));
      }
      return amount - left;
    });
    return { option: optionIndex, amounts, units: unitsByItem(this.#problem, node) };
  }

  #itemOfRow(row: number | undefined) {
    return this.#model.items[this.#model.itemOfRow[row ?? -1] ?? -1];
  }

  /** Sizes are shares of the capacity, so that bytes and pods are of one scale. */
  #knapsackOf({ capacity, rows }: ConfigurationOption, entries: Int32Array, worthOfRows: Float64Array): Knapsack {
    const dimensions = capacity.length;
    const sizes = new Float64Array(entries.length * dimensions);
    const values = new Float64Array(entries.length);
    const most = new Float64Array(entries.length);
    for (let thing = 0; thing < entries.length; thing++) {
      const row = rows[entries[thing] ?? -1] ?? -1;
      const item = this.#itemOfRow(row);
      let fitting = item?.mostPerNode ?? 0;
      for (let dimension = 0; dimension < dimensions; dimension++) {
        const size = item?.sizes[dimension] ?? 0;
        if (size === 0) continue;
        const share = size / (capacity[dimension] ?? 0);
        sizes[thing * dimensions + dimension] = Math.min(2, share);
        fitting = Math.min(fitting, Math.floor((1 + 1e-9) / share));
      }
      most[thing] = fitting;
      values[thing] = worthOfRows[row] ?? 0;
    }
    return { capacity: new Float64Array(dimensions).fill(1), sizes, most, values };
  }
}
