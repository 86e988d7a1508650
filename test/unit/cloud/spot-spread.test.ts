import { describe, expect, it } from "vitest";
import type { RankedOffering } from "../../../shared/cloud/ranking.ts";
import { type SpreadClaim, spreadSpot } from "../../../shared/cloud/spot-spread.ts";
import { offering } from "../../support/launches.ts";

const first = offering("m5.large/z1/spot", 1);
const near = offering("m5.large/z2/spot", 1.1);
const far = offering("m5.large/z3/spot", 1.16);

describe("spreadSpot", () => {
  it("leaves three nodes together", () => {
    expect(countsOf(spreadSpot(claims(3, [first, near]), []).claims)).toEqual({ z1: 3 });
  });

  it("puts at most 40 % into one offering and says what the others cost more", () => {
    const { claims: spread, extraUsdPerHour } = spreadSpot(claims(10, [first, near]), []);
    expect(countsOf(spread)).toEqual({ z1: 10 - 4, z2: 4 });
    expect(extraUsdPerHour).toBeCloseTo(0.4);
  });

  it("does not pay more than 15 % for it", () => {
    expect(countsOf(spreadSpot(claims(10, [first, far]), []).claims)).toEqual({ z1: 10 });
  });

  it("counts the pool's running spot nodes, and only that pool's", () => {
    const fleet = [{ nodePool: "default", instanceType: "m5.large", zone: "z1", nodes: 4 }];
    expect(countsOf(spreadSpot(claims(1, [first, near]), fleet).claims)).toEqual({ z2: 1 });
    const others = fleet.map((entry) => ({ ...entry, nodePool: "other" }));
    expect(countsOf(spreadSpot(claims(1, [first, near]), others).claims)).toEqual({ z1: 1 });
  });

  it("lets on-demand alone, and lets it be the alternative", () => {
    const onDemand = offering("m5.large/z1/on-demand", 1.05);
    expect(countsOf(spreadSpot(claims(9, [onDemand, near]), []).claims)).toEqual({ z1: 9 });
    const { claims: spread } = spreadSpot(claims(10, [first, onDemand]), []);
    expect(spread.filter((claim) => claim.offerings[0] === onDemand)).toHaveLength(6);
  });

  it("loses no offering and does not depend on the order of the claims", () => {
    const list = claims(10, [first, near, far]);
    const { claims: spread } = spreadSpot(list, []);
    for (const claim of spread) expect(new Set(claim.offerings)).toEqual(new Set([first, near, far]));
    expect(spreadSpot(list.toReversed(), []).claims.toReversed()).toEqual(spread);
  });
});

function claims(count: number, offerings: SpreadClaim["offerings"]): readonly SpreadClaim[] {
  return Array.from({ length: count }, (_, index) => ({ name: `claim-${index}`, nodePool: "default", offerings }));
}

function countsOf(spread: readonly SpreadClaim[]): Readonly<Record<string, number>> {
  const zones = spread.map((claim): RankedOffering => claim.offerings[0]).map((choice) => choice.zone);
  return Object.fromEntries([...Map.groupBy(zones, (zone) => zone)].map(([zone, list]) => [zone, list.length]));
}
