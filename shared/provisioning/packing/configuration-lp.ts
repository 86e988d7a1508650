import { getOrMake } from "../get-or-make.ts";
import { boundAt, firstWorths, sharesAt, type Worths } from "./configuration-bound.ts";
import { type ConfigurationModel, configurationModel } from "./configuration-model.ts";
import { ConfigurationPricer, type OptionPattern } from "./configuration-pricing.ts";
import { ConfigurationProgram } from "./configuration-program.ts";
import type { PackingProblem } from "./problem.ts";

/** How much work a solution may take: counted, never timed, so that equal problems have equal answers. */
export interface ConfigurationBudget {
  /** Items, equal ones merged; with more of them there is no solution. */
  readonly items: number;
  /** How often all options are priced at most. */
  readonly rounds: number;
  /** Steps of one search for one node's contents. */
  readonly nodesPerSearch: number;
  /** Steps of all searches. */
  readonly nodes: number;
  /** By what share the bound may stay below the linear program's optimum. */
  readonly tolerance: number;
}

/**
 * What the configuration LP may take beside a plan, so that it is a small part of the planning: with more different items the nodes are
 * large for each of them, and the resource LP is hardly lower.
 */
export const planningBudget: ConfigurationBudget = {
  items: 64,
  rounds: 40,
  nodesPerSearch: 200,
  nodes: 60_000,
  tolerance: 0.001,
};

/** A fractional packing in whole contents: what it uses of each is what a cheapest packing would like to use. */
export interface ConfigurationSolution {
  /** No packing of all items costs less. */
  readonly boundUsdPerHour: number;
  /** Each may be on one node by all rules; `uses` is fractional. */
  readonly patterns: readonly ConfigurationPattern[];
  /** Whether the bound is the linear program's optimum, but for the tolerance. */
  readonly converged: boolean;
}

export interface ConfigurationPattern {
  readonly column: number;
  readonly zone: number;
  /** By item. */
  readonly units: Int32Array;
  readonly uses: number;
}

/**
 * Gilmore and Gomory's linear program over the contents of whole nodes, by column generation: its duals are the worth of each item,
 * and contents worth more than their node's price join it until there are none. The duals are sought half way between the program's
 * and the best known (Wentges 1997), which at first are what resources are worth: so every round has a bound of its own, and none is
 * below the resource LP's. Solved once for each problem and budget.
 */
export function solveConfigurations(
  problem: PackingProblem,
  budget: ConfigurationBudget,
): ConfigurationSolution | undefined {
  const ofProblem = getOrMake(solutions, problem, () => new Map());
  if (!ofProblem.has(budget)) {
    const model = configurationModel(problem, budget.items);
    ofProblem.set(budget, model && new Generation(problem, model, budget).run());
  }
  return ofProblem.get(budget);
}

const solutions = new WeakMap<PackingProblem, Map<ConfigurationBudget, ConfigurationSolution | undefined>>();

/** The first patterns need not be worth more than they cost: any good ones are better than none. */
const firstShare = 0.85;

/** How much longer a search may be that the bound depends on, and how much longer still. */
const moreNodes = [10, 50];

class Generation {
  readonly #problem: PackingProblem;
  readonly #model: ConfigurationModel;
  readonly #budget: ConfigurationBudget;
  readonly #pricer: ConfigurationPricer;
  readonly #program: ConfigurationProgram;
  /** The best known. */
  #worths: Worths;
  #bound = 0;

  constructor(problem: PackingProblem, model: ConfigurationModel, budget: ConfigurationBudget) {
    this.#problem = problem;
    this.#model = model;
    this.#budget = budget;
    this.#pricer = new ConfigurationPricer(problem, model);
    this.#program = new ConfigurationProgram(model, this.#pricer);
    this.#worths = firstWorths(problem, model);
  }

  run(): ConfigurationSolution {
    this.#generate(this.#worths, firstShare);
    let converged = false;
    for (let round = 1; round < this.#budget.rounds && this.#pricer.nodes < this.#budget.nodes; round++) {
      const { worths, cost } = this.#program.solve();
      converged = cost <= this.#bound * (1 + this.#budget.tolerance);
      if (converged) break;
      const before = this.#bound;
      const isBetween = this.#generate(between(this.#worths, worths));
      const isBetter = this.#bound > before * (1 + this.#budget.tolerance / 10);
      if (!isBetween && !isBetter && !this.#generate(worths)) break;
    }
    return { boundUsdPerHour: this.#bound, patterns: this.#program.patternsUsed(), converged };
  }

  /** Adds what is worth more than a share of what it costs, and takes the bound that these worths give; returns whether there was anything to add. */
  #generate(worths: Worths, share = 1 + this.#budget.tolerance / 4): boolean {
    const { options, items, itemOfRow } = this.#model;
    const targets = options.map(({ price }, index) => price + this.#headroomCost(index, worths));
    const uppers = new Float64Array(options.length);
    const found: { readonly pattern: OptionPattern; readonly gain: number }[] = [];
    const price = (option: number, mostNodes: number) => {
      const target = (targets[option] ?? 0) * share;
      const { upper, pattern } = this.#pricer.price(option, worths.ofRows, target, mostNodes);
      uppers[option] = upper;
      if (pattern !== undefined) found.push({ pattern, gain: upper / target });
    };
    for (const option of options.keys()) price(option, this.#budget.nodesPerSearch);
    if (found.length === 0) this.#searchHarder(targets, uppers, price);
    const { bound, worths: feasible } = boundAt(this.#problem, this.#model, worths, uppers);
    if (bound > this.#bound) {
      this.#bound = bound;
      this.#worths = feasible;
    }
    found.sort((a, b) => b.gain - a.gain);
    for (const { pattern } of found.slice(0, Math.max(10, itemOfRow.length))) this.#program.add(pattern);
    const isShared = [...items.keys()].map((item) =>
      this.#program.addShares(item, sharesAt(this.#model, item, worths.ofRows)),
    );
    return found.length > 0 || isShared.includes(true);
  }

  /** The options that hold the bound down because their search was cut off, the worst first. */
  #searchHarder(
    targets: readonly number[],
    uppers: Float64Array,
    price: (option: number, mostNodes: number) => void,
  ): void {
    const excess = (option: number) => (uppers[option] ?? 0) / (targets[option] ?? 1) - 1;
    const worst = [...uppers.keys()]
      .filter((option) => excess(option) > this.#budget.tolerance / 2)
      .sort((a, b) => excess(b) - excess(a));
    for (const option of worst) {
      const before = excess(option);
      for (const times of moreNodes) {
        if (this.#pricer.nodes >= this.#budget.nodes) return;
        price(option, this.#budget.nodesPerSearch * times);
        if (excess(option) <= before / 2) break;
      }
      if (excess(option) > before / 2) return;
    }
  }

  #headroomCost(option: number, { ofHeadroom }: Worths): number {
    return this.#model.headroom.reduce(
      (cost, { uses }, index) => cost + (uses[option] ?? 0) * (ofHeadroom[index] ?? 0),
      0,
    );
  }
}

function between(a: Worths, b: Worths): Worths {
  return { ofRows: halfWay(a.ofRows, b.ofRows), ofHeadroom: halfWay(a.ofHeadroom, b.ofHeadroom) };
}

function halfWay(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, index) => (value + (b[index] ?? 0)) / 2);
}
