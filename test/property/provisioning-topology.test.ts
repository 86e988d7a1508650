import { describe, it } from "vitest";
import { expectGoodPlans } from "../support/random-worlds/plan-properties.ts";
import { topologyWorlds } from "../support/random-worlds/worlds.ts";

describe("a plan for an empty cluster and pods that spread, attract and avoid each other", () => {
  it("comes true in some order of binding, and is the same whatever the order of the snapshot's lists", () => {
    expectGoodPlans(topologyWorlds, 500);
  });
});
