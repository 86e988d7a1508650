import { describe, it } from "vitest";
import { expectGoodPlans } from "../support/random-worlds/plan-properties.ts";
import { busyWorlds } from "../support/random-worlds/worlds.ts";

describe("a plan beside nodes that run pods, start or leave, and claims that keep places", () => {
  it("fills no node beyond its room and rules, and is the same whatever the order of the snapshot's lists", () => {
    expectGoodPlans(busyWorlds, 500);
  });
});
