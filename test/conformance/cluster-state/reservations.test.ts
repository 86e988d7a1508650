import { expect } from "vitest";
import { conforms } from "../../support/conformance.ts";
import { addNodePool, plannerWorld } from "../../support/planner-world.ts";
import { deleting, planned, runningNodes, staticPool } from "../../support/static-pools.ts";

conforms(
  "state.reserve | enough / partly enough / none left / running and deleting claims counted / parallel (x6) | full / partial / 0 / reduced / never above limit",
  async () => {
    const limited = (nodes: string) => [staticPool(5, { limits: { nodes } })];
    expect(planned({ pools: limited("9") })).toBe(5);
    expect(planned({ pools: limited("3") })).toBe(3);
    expect(planned({ pools: limited("0") })).toBe(0);
    const { nodes = [], nodeClaims = [] } = runningNodes("one", "two");
    expect(planned({ pools: limited("3"), nodes, nodeClaims })).toBe(1);
    // One that is going is still there.
    expect(planned({ pools: limited("3"), nodes, nodeClaims: nodeClaims.map(deleting) })).toBe(1);

    const world = plannerWorld();
    addNodePool(world, "fixed", { replicas: 5, limits: { nodes: "3" } });
    await world.provision();
    await world.provision();
    expect(world.claims()).toHaveLength(3);
  },
);
