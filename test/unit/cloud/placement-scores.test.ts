import { describe, expect, it } from "vitest";
import { zoneScoresFor } from "../../../shared/cloud/placement-scores.ts";
import { offering } from "../../support/launches.ts";

const small = { nodePool: "default", instanceTypes: ["m5.large", "c5.large"], byZone: new Map([["z1", 3]]) };
const large = { nodePool: "default", instanceTypes: ["m5.4xlarge", "m5.large"], byZone: new Map([["z1", 9]]) };
const candidates = [offering("m5.large/z1/spot"), offering("c5.large/z1/spot"), offering("m5.4xlarge/z1/on-demand")];

describe("zoneScoresFor", () => {
  it("takes the set that shares the most spot types with the choice", () => {
    expect(zoneScoresFor([large, small], "default", candidates)).toBe(small.byZone);
  });

  it("has no signal from another pool's set, or from one without a type in common", () => {
    expect(zoneScoresFor([small], "other", candidates)).toBeUndefined();
    expect(zoneScoresFor([{ ...small, instanceTypes: ["m5.4xlarge"] }], "default", candidates)).toBeUndefined();
  });
});
