import { describe, expect } from "vitest";
import { createStaticClaim } from "../../../shared/controllers/claim-creation.ts";
import { readSnapshot } from "../../../shared/controllers/read-snapshot.ts";
import { planStaticCapacity } from "../../../shared/provisioning/static-capacity.ts";
import { conforms } from "../../support/conformance.ts";
import { addNodePool, type PlannerWorld, plannerWorld, throttledError } from "../../support/planner-world.ts";
import { noNodeCost } from "../../support/plans.ts";
import { deleting, planned, runningNodes, staticPlan, staticPool } from "../../support/static-pools.ts";

/** One pass up to the writing of static claims, from what it has read at its start. */
async function startedPass({ ports, settings }: PlannerWorld): Promise<() => Promise<unknown>> {
  const snapshot = await readSnapshot(ports, settings);
  const { nodeClaims } = planStaticCapacity(snapshot);
  const plan = { priceUsdPerHour: 0, nodeCost: noNodeCost, lowerBoundUsdPerHour: 0 };
  return () => Promise.all(nodeClaims.map((claim) => createStaticClaim(ports, claim, { snapshot, plan })));
}

describe("static provisioning", () => {
  conforms("sprov | below replicas; partially; equal (x3) | creates the difference", () => {
    expect(planned({ pools: [staticPool(3)] })).toBe(3);
    expect(planned({ pools: [staticPool(3)], ...runningNodes("one") })).toBe(2);
    expect(planned({ pools: [staticPool(3)], ...runningNodes("one", "two", "three") })).toBe(0);
  });

  conforms("sprov | node limit | capped; reservation released afterwards", () => {
    const pools = [staticPool(5, { limits: { nodes: "3" } })];
    expect(staticPlan({ pools })).toMatchObject({ nodeClaims: [{}, {}, {}], shortfalls: [{ nodes: 2 }] });

    const { nodes = [], nodeClaims = [] } = runningNodes("one", "two", "three");
    expect(planned({ pools, nodes, nodeClaims })).toBe(0);
    const [first, ...others] = nodeClaims;
    expect(planned({ pools, nodes, nodeClaims: [...(first ? [deleting(first)] : []), ...others] })).toBe(0);
    expect(planned({ pools, nodes: nodes.slice(1), nodeClaims: others })).toBe(1);
  });

  conforms(
    "sprov | zero; template copied; large count; concurrent reconciles; unsynced state (x5) | none; yes; ok; never above limit; waits",
    async () => {
      expect(planned({ pools: [staticPool(0)] })).toBe(0);

      const taints = [{ key: "team", value: "shop", effect: "NoSchedule" as const }];
      const copied = staticPlan({ pools: [staticPool(1, { taints, labels: { team: "shop" } })] });
      expect(copied.nodeClaims).toMatchObject([{ taints, labels: { team: "shop", "karpenter.sh/nodepool": "fixed" } }]);

      const many = staticPlan({ pools: [staticPool(1_000)] }).nodeClaims;
      expect(new Set(many.map(({ name }) => name)).size).toBe(1_000);

      const world = plannerWorld();
      addNodePool(world, "fixed", { replicas: 4, limits: { nodes: "3" } });
      const passes = [await startedPass(world), await startedPass(world)];
      await Promise.all(passes.map((pass) => pass()));
      expect(world.claims()).toHaveLength(3);

      const errors = [throttledError()];
      const unread = plannerWorld({
        beforeCall: (verb, kind) => {
          const error = verb === "list" && kind === "NodeClaim" ? errors.pop() : undefined;
          if (error !== undefined) throw error;
        },
      });
      addNodePool(unread, "fixed", { replicas: 2 });
      await expect(unread.provision()).rejects.toThrow("slow down");
      expect(unread.claims()).toEqual([]);
      await unread.provision();
      expect(unread.claims()).toHaveLength(2);
    },
  );
});
