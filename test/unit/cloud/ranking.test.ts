import { describe, expect, it } from "vitest";
import { expectedPriceUsdPerHour, rankOfferings } from "../../../shared/cloud/ranking.ts";
import { offering } from "../../support/launches.ts";

describe("rankOfferings", () => {
  it("puts the cheaper offering first when nothing else is known", () => {
    const cheap = offering("c5.large/z1/on-demand", 1);
    const dear = offering("m5.large/z1/on-demand", 2);
    expect(rankOfferings([dear, cheap])).toEqual([cheap, dear]);
  });

  it("prefers a slightly dearer zone where spot lasts (B3.24)", () => {
    const shaky = offering("m5.large/z1/spot", 1);
    const steady = offering("m5.large/z2/spot", 1.05);
    const scores = new Map([
      ["z1", 1],
      ["z2", 10],
    ]);
    expect(rankOfferings([shaky, steady])).toEqual([shaky, steady]);
    expect(rankOfferings([shaky, steady], { scores })).toEqual([steady, shaky]);
  });

  it("lets no offering pass another that it exceeds in price by more than a fifth", () => {
    const cheap = offering("m5.large/z1/spot", 1);
    const dear = offering("m5.large/z2/on-demand", 1.21);
    const reclaimsPerHour = new Map([["m5.large/z1/spot", 10]]);
    expect(rankOfferings([dear, cheap], { reclaimsPerHour })).toEqual([cheap, dear]);
    const near = offering("m5.large/z2/on-demand", 1.2);
    expect(rankOfferings([near, cheap], { reclaimsPerHour })).toEqual([near, cheap]);
  });

  it("breaks ties by score and then by name, whatever the order of the list", () => {
    const list = ["m5.large/z2/on-demand", "m5.large/z1/on-demand", "c5.large/z1/on-demand"].map((key) =>
      offering(key),
    );
    const scores = new Map([["z2", 9]]);
    const names = (scored: boolean, offerings: typeof list) =>
      rankOfferings(offerings, scored ? { scores } : {}).map((one) => `${one.instanceType}/${one.zone}`);
    expect(names(false, list)).toEqual(["c5.large/z1", "m5.large/z1", "m5.large/z2"]);
    expect(names(true, list)).toEqual(["m5.large/z2", "c5.large/z1", "m5.large/z1"]);
    expect(names(true, list.toReversed())).toEqual(names(true, list));
  });
});

describe("expectedPriceUsdPerHour", () => {
  it("adds half an hour's price per expected reclaim to spot, and nothing to on-demand", () => {
    const scores = (score: number) => ({ scores: new Map([["z1", score]]) });
    const spot = offering("m5.large/z1/spot", 1);
    expect(expectedPriceUsdPerHour(spot, scores(10))).toBeCloseTo(1.0025);
    expect(expectedPriceUsdPerHour(spot, scores(1))).toBeCloseTo(1.1);
    expect(expectedPriceUsdPerHour(spot)).toBeCloseTo(1 + 0.5 * Math.sqrt(0.005 * 0.2));
    expect(expectedPriceUsdPerHour(offering("m5.large/z1/on-demand", 1), scores(1))).toBe(1);
  });
});
