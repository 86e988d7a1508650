import { describe, expect, it } from "vitest";
import { ec2NodeClassHash, hashVersion, nodePoolHash } from "../../shared/api/hashes.ts";
import { annotation, label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import { createClaim } from "../../shared/controllers/claim-creation.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import { nodeClass } from "../support/node-classes.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";
import { noNodeCost } from "../support/plans.ts";

/** A world with one pod, and the claim that is planned for it. */
async function plannedWorld(podName = "web") {
  const world = plannerWorld();
  const pool = addNodePool(world, "default", { labels: { team: "shop" } });
  addPendingPod(world, podName);
  const snapshot = await readSnapshot(world.ports, world.settings);
  const plan = planProvisioning(snapshot);
  const [planned] = plan.nodeClaims;
  if (planned === undefined) throw new Error("nothing was planned");
  return { world, pool, planned, create: () => createClaim(world.ports, planned, { snapshot, plan }) };
}

function annotate({ server }: PlannerWorld, { metadata }: NodeClaim, annotations: Record<string, string>): void {
  server.patch("NodeClaim", { name: metadata.name }, { metadata: { annotations } });
}

describe("a planned NodeClaim", () => {
  it("carries what makes the intent durable", async () => {
    const { world, pool, create } = await plannedWorld();

    const { metadata, spec } = await create();

    expect(metadata.finalizers).toEqual(["karpenter.sh/termination"]);
    expect(metadata.ownerReferences).toMatchObject([{ kind: "NodePool", name: "default", uid: pool.metadata.uid }]);
    expect(metadata.labels).toEqual({ [label.nodePool]: "default", [label.nodeClass]: "default", team: "shop" });
    expect(metadata.annotations).toMatchObject({
      "karpenter.sh/nodepool-hash": nodePoolHash(pool),
      "karpenter.sh/nodepool-hash-version": hashVersion,
      "karpenter.k8s.aws/ec2nodeclass-hash": ec2NodeClassHash(nodeClass()),
      "karpenter.k8s.aws/ec2nodeclass-hash-version": hashVersion,
    });
    expect(JSON.parse(metadata.annotations?.[annotation.nominatedPods] ?? "")).toMatchObject([
      { uid: world.pod("web")?.metadata.uid },
    ]);
    expect(spec).toMatchObject({
      nodeClassRef: { name: "default" },
      resources: { requests: { cpu: "1500m", memory: "1Gi", pods: "1" } },
    });
  });

  it("says why it was made: the choice, the prices, the pods", async () => {
    const { create } = await plannedWorld();

    const reason = (await create()).metadata.annotations?.[annotation.reason];

    expect(reason).toContain("m5.large on-demand in us-east-1a at 0.096 USD per hour");
    expect(reason).toContain("the whole plan: 0.0982 USD per hour with volumes and charges, at least 0.");
    expect(reason).toContain("pods: default/web");
  });

  it("says it in at most 1 KiB, in whole characters", async () => {
    const { planned, world } = await plannedWorld();
    const snapshot = await readSnapshot(world.ports, world.settings);
    const wordy = { ...planned, reason: "ü".repeat(700) };
    const plan = { priceUsdPerHour: 1, nodeCost: noNodeCost, lowerBoundUsdPerHour: 1 };

    const { metadata } = await createClaim(world.ports, wordy, { snapshot, plan });

    const reason = metadata.annotations?.[annotation.reason] ?? "";
    expect(Buffer.byteLength(reason)).toBe(1_024);
    expect(reason).toBe("ü".repeat(512));
  });

  it("is adopted when it was written before with the same nominations", async () => {
    const { world, create } = await plannedWorld();
    const first = await create();

    const second = await create();

    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(world.claims()).toHaveLength(1);
    expect(world.telemetry.total("karpenter_nodeclaims_created_total")).toBe(1);
  });

  it("takes another name beside one with other nominations, and again beside that", async () => {
    const { world, planned, create } = await plannedWorld();
    annotate(world, await create(), { [annotation.nominatedPods]: "[]" });

    const second = await create();
    expect(second.metadata.name).toBe(`${planned.name}-2`);
    annotate(world, second, { [annotation.nominatedPods]: "[]" });
    expect((await create()).metadata.name).toBe(`${planned.name}-3`);
  });

  it("takes another name beside one on its way out", async () => {
    const { world, planned, create } = await plannedWorld();
    world.server.delete("NodeClaim", { name: (await create()).metadata.name });

    expect((await create()).metadata.name).toBe(`${planned.name}-2`);
  });

  it("takes another name beside one whose node is ready and was of no use to its pods", async () => {
    const { world, planned, create } = await plannedWorld();
    const { metadata } = await create();
    const conditions = [
      {
        type: "Initialized",
        status: "True" as const,
        reason: "",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ];
    world.server.patch("NodeClaim", { name: metadata.name }, { status: { conditions } }, { subresource: "status" });

    expect((await create()).metadata.name).toBe(`${planned.name}-2`);
  });
});
