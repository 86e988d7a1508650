import { describe, expect, it } from "vitest";
import { type Comparison, comparisonOf, type Side, summariesOf } from "../../../bench/comparison.ts";

function side(input: Partial<Side>): Side {
  return { nodes: 1, unplaced: 0, priceUsdPerHour: 1, milliseconds: 1, cpuMilliseconds: 1, ...input };
}

function compared(workload: string, market: string, ours: Partial<Side>, karpenter: Partial<Side>): Comparison {
  return comparisonOf({ workload, market, pods: 10 }, side(ours), side(karpenter));
}

describe("a comparison with Karpenter", () => {
  it("is below 1 in price where ours is cheaper, above 1 in speed where ours is faster", () => {
    const ours = { priceUsdPerHour: 3, milliseconds: 20 };
    expect(compared("web", "spot", ours, { priceUsdPerHour: 4, milliseconds: 100 })).toMatchObject({
      priceRatio: 0.75,
      speedRatio: 5,
    });
  });

  it("is summed up over all and by market: geometric means, the dearest and the slowest", () => {
    const [all, onDemand, spot] = summariesOf([
      compared("web", "on-demand", { priceUsdPerHour: 0.5, milliseconds: 2 }, { milliseconds: 4 }),
      compared("batch", "on-demand", { priceUsdPerHour: 2 }, { milliseconds: 32 }),
      compared("web", "spot", { unplaced: 1 }, { unplaced: 3 }),
    ]);
    expect(all).toMatchObject({ of: "all", inputs: 3, unplaced: { ours: 1, karpenter: 3 } });
    expect(onDemand?.of).toBe("on-demand");
    expect(onDemand?.priceRatio.geometricMean).toBeCloseTo(1, 9);
    expect(onDemand?.priceRatio.worst).toEqual({ workload: "batch", market: "on-demand", pods: 10, ratio: 2 });
    expect(onDemand?.speedRatio.geometricMean).toBeCloseTo(8, 9);
    expect(onDemand?.speedRatio.worst).toEqual({ workload: "web", market: "on-demand", pods: 10, ratio: 2 });
    expect(spot).toMatchObject({ of: "spot", inputs: 1 });
  });

  it("leaves inputs without a node out of the ratios, not out of the pods that found none", () => {
    const none = { nodes: 0, unplaced: 10, priceUsdPerHour: 0 };
    const [all] = summariesOf([compared("web", "spot", none, none), compared("web", "spot", {}, {})]);
    expect(all).toMatchObject({ inputs: 2, priceRatio: { geometricMean: 1 }, unplaced: { ours: 10, karpenter: 10 } });
  });
});
