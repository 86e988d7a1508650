/** The part of a result that counts here. */
export interface RatioResult {
  readonly workload: string;
  readonly topology: boolean;
  readonly market: string;
  readonly spread: boolean;
  readonly pods: number;
  readonly costOverBound: number;
}

/** How near the bound the plans of one market are. */
export interface PackingSummary {
  readonly market: string;
  /** Of 200 pods and more; without and with topology. */
  readonly geometricMeans: { readonly flat: number; readonly topology: number };
  /** Of 50 pods and more. */
  readonly worst: { readonly workload: string; readonly pods: number; readonly ratio: number };
}

/** On-demand and spot apart; spot with and without what keeps its nodes apart. */
export function summaryOf(results: readonly RatioResult[]): readonly PackingSummary[] {
  const markets = Map.groupBy(results, ({ market, spread }) => (spread ? market : `${market}, loose`));
  return [...markets].map(([market, own]) => {
    const large = own.filter(({ pods }) => pods >= 200);
    const ratios = (topology: boolean) =>
      large.filter((result) => result.topology === topology).map(({ costOverBound }) => costOverBound);
    const [worst] = own.filter(({ pods }) => pods >= 50).sort((a, b) => b.costOverBound - a.costOverBound);
    return {
      market,
      geometricMeans: { flat: geometricMean(ratios(false)), topology: geometricMean(ratios(true)) },
      worst: {
        workload: worst?.workload ?? "none",
        pods: worst?.pods ?? 0,
        ratio: worst?.costOverBound ?? Number.NaN,
      },
    };
  });
}

/** NaN of nothing. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
