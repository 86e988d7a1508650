import { describe, expect, it } from "vitest";
import { parseBudget } from "../../shared/cloud/request-budget.ts";
import { addClaims, launchPass } from "../support/launch-pass.ts";
import { offering } from "../support/launches.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

function written({ server }: PlannerWorld) {
  const lease = server.get("Lease", { name: "journeyman-planner", namespace: "journeyman" });
  return parseBudget(lease?.metadata.annotations?.["journeyman.sh/request-budget"], 0);
}

const seven = Array.from({ length: 7 }, (_, index) => `pool-${index}`);

/** Seven NodePools with a pod each: no two can share a call. */
function sevenPools(): PlannerWorld {
  const world = plannerWorld();
  world.aws.faults.setLatency("RunInstances", [5, 5]);
  for (const pool of seven) {
    addNodePool(world, pool);
    addPendingPod(world, pool, { pool });
  }
  return world;
}

describe("EC2's request bucket", () => {
  it("is shared by passes: the next one knows what this one has left", async () => {
    const world = sevenPools();

    await world.provision();

    expect(world.requests).toHaveLength(5);
    expect(written(world).requests).toBeLessThan(1);
    expect(written(world).instances).toBeLessThan(996);
    expect(world.sent).toMatchObject([{ delaySeconds: 1 }]);
    await world.advance(1);
    await world.provision();
    expect(world.requests).toHaveLength(7);
    expect(world.living()).toHaveLength(7);
  });

  it("is taken for empty after a pass that crashed, which cannot say what it has used", async () => {
    const world = sevenPools();
    const { ec2 } = world.ports;
    const crashing: typeof ec2.runInstances = async (request) => {
      await ec2.runInstances(request);
      throw new RangeError("killed");
    };

    await expect(world.provision(undefined, { ec2: { ...ec2, runInstances: crashing } })).rejects.toThrow("killed");

    expect(written(world)).toMatchObject({ requests: 0, instances: 993 });
  });

  it("is written once in a pass before, and once after it", async () => {
    const writes: string[] = [];
    const world = plannerWorld({
      beforeCall: (verb, kind) => {
        if (kind === "Lease" && verb === "patch") writes.push(verb);
      },
    });
    for (const pool of seven.slice(0, 4)) {
      addNodePool(world, pool);
      addPendingPod(world, pool, { pool });
    }
    await world.provision();
    // The Lease is made new; then comes what the pass may use, then its end.
    expect(writes).toHaveLength(2);
  });

  it("lets no pass launch more instances than it holds", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    addClaims(world, ["a", "b", "c", "d"], 1);
    const budget = { requests: 5, instances: 3, at: world.now() };

    await launchPass(world, [offering("m5.large/us-east-1a/on-demand")], { budget });

    expect(world.requests).toMatchObject([{ maxCount: 3 }, { maxCount: 1 }]);
  });
});
