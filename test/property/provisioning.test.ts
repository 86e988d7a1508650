import { describe, it } from "vitest";
import { expectGoodPlans } from "../support/random-worlds/plan-properties.ts";
import { mixedWorlds } from "../support/random-worlds/worlds.ts";

describe("a plan of any small world", () => {
  it("holds before the checker, and is the same whatever the order of the snapshot's lists", () => {
    expectGoodPlans(mixedWorlds, 600);
  });
});
