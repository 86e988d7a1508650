import { geometricMean } from "./packing-summary.ts";

/** One side's plan for one input. */
export interface Side {
  readonly nodes: number;
  readonly unplaced: number;
  readonly priceUsdPerHour: number;
  readonly milliseconds: number;
  /** Of all threads together. */
  readonly cpuMilliseconds: number;
}

/** Our plan and Karpenter's for the same input. */
export interface Comparison {
  readonly workload: string;
  readonly market: string;
  readonly pods: number;
  readonly ours: Side;
  readonly karpenter: Side;
  /** Ours over Karpenter's: below 1, ours is cheaper. */
  readonly priceRatio: number;
  /** Our pods per second over Karpenter's: above 1, ours is faster. */
  readonly speedRatio: number;
}

interface Extreme {
  readonly workload: string;
  readonly market: string;
  readonly pods: number;
  readonly ratio: number;
}

/** What a set of comparisons comes to. */
export interface ComparisonSummary {
  /** `all`, a market, or a workload. */
  readonly of: string;
  readonly inputs: number;
  readonly priceRatio: { readonly geometricMean: number; readonly worst: Extreme };
  readonly speedRatio: { readonly geometricMean: number; readonly worst: Extreme };
  /** Pods that found no node, over all inputs. */
  readonly unplaced: { readonly ours: number; readonly karpenter: number };
}

export function comparisonOf(
  input: Pick<Comparison, "workload" | "market" | "pods">,
  ours: Side,
  karpenter: Side,
): Comparison {
  const priceRatio = ours.priceUsdPerHour / karpenter.priceUsdPerHour;
  return { ...input, ours, karpenter, priceRatio, speedRatio: karpenter.milliseconds / ours.milliseconds };
}

/** Of all comparisons, and of each market; those whose ratio cannot be told, because a side has no node, do not count. */
export function summariesOf(comparisons: readonly Comparison[]): readonly ComparisonSummary[] {
  const markets = [...Map.groupBy(comparisons, ({ market }) => market)];
  return [["all", comparisons] as const, ...markets].map(([of, own]) => summaryOf(of, own));
}

function summaryOf(of: string, comparisons: readonly Comparison[]): ComparisonSummary {
  const told = comparisons.filter(({ ours, karpenter }) => ours.nodes > 0 && karpenter.nodes > 0);
  const speeds = told.map(({ speedRatio }) => speedRatio);
  return {
    of,
    inputs: comparisons.length,
    priceRatio: {
      geometricMean: geometricMean(told.map(({ priceRatio }) => priceRatio)),
      worst: worstOf(told, ({ priceRatio }) => priceRatio, 1),
    },
    speedRatio: { geometricMean: geometricMean(speeds), worst: worstOf(told, ({ speedRatio }) => speedRatio, -1) },
    unplaced: {
      ours: comparisons.reduce((sum, { ours }) => sum + ours.unplaced, 0),
      karpenter: comparisons.reduce((sum, { karpenter }) => sum + karpenter.unplaced, 0),
    },
  };
}

/** The highest ratio, or with `direction` -1 the lowest. */
function worstOf(
  comparisons: readonly Comparison[],
  ratioOf: (comparison: Comparison) => number,
  direction: 1 | -1,
): Extreme {
  const [worst] = comparisons.toSorted((a, b) => direction * (ratioOf(b) - ratioOf(a)));
  if (worst === undefined) return { workload: "none", market: "none", pods: 0, ratio: Number.NaN };
  const { workload, market, pods } = worst;
  return { workload, market, pods, ratio: ratioOf(worst) };
}
