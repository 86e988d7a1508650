import { describe, it } from "vitest";
import { expectGoodPlans } from "../support/random-worlds/plan-properties.ts";
import { oddWorlds } from "../support/random-worlds/worlds.ts";

describe("a plan for pods with volumes, host ports and odd requests, in NodePools that ask for several types", () => {
  it("gives each pod a node it can use, and is the same whatever the order of the snapshot's lists", () => {
    expectGoodPlans(oddWorlds, 400);
  });
});
