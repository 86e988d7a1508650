import { describe, expect, it } from "vitest";
import type { PodDisruptionBudget } from "../../../shared/api/policy.ts";
import { budgetNamed, daemonSetNamed, deploymentNamed } from "../../support/cluster-objects.ts";
import { clusterInVirtualTime } from "../../support/simulated-cluster.ts";

const selector = { matchLabels: { app: "web" } };

/** Four ready pods of a Deployment under a budget. */
async function fourPods(spec: PodDisruptionBudget["spec"], podStatus: "True" | "False" = "True") {
  const cluster = clusterInVirtualTime();
  cluster.addNode("node-1");
  cluster.server.create("Deployment", deploymentNamed("web", { replicas: 4 }));
  cluster.server.create("PodDisruptionBudget", budgetNamed("web", { selector, ...spec }));
  await cluster.advance(60);
  const [first] = cluster.pods();
  if (first === undefined) throw new Error("no pod");
  if (podStatus === "False") {
    const conditions = [{ type: "Ready", status: "False" }];
    cluster.server.patch("Pod", first.metadata, { status: { conditions } }, { subresource: "status" });
  }
  const status = () => cluster.server.get("PodDisruptionBudget", { namespace: "default", name: "web" })?.status;
  return { ...cluster, first, status };
}

describe("PodDisruptionBudget", () => {
  it.each([
    { spec: { minAvailable: 3 }, allowed: 1 },
    { spec: { minAvailable: "50%" }, allowed: 2 },
    { spec: { maxUnavailable: 1 }, allowed: 1 },
    // Percentages round up, also of what may be missing.
    { spec: { maxUnavailable: "30%" }, allowed: 2 },
    { spec: { maxUnavailable: 0 }, allowed: 0 },
    { spec: { minAvailable: "100%" }, allowed: 0 },
  ])("with $spec allows $allowed of 4 pods to be disrupted", async ({ spec, allowed }) => {
    const { status } = await fourPods(spec);
    expect(status()).toMatchObject({ disruptionsAllowed: allowed, currentHealthy: 4, expectedPods: 4 });
  });

  it("counts an eviction at once, before any controller has seen it", async () => {
    const { server, pods } = await fourPods({ maxUnavailable: 1 });
    const outcomes = pods().map(({ metadata }) => server.evict(metadata).kind);
    expect(outcomes.toSorted()).toEqual(["blocked", "blocked", "blocked", "evicted"]);
  });

  it("allows the next eviction when the successor is ready", async () => {
    const { server, pods, advance, first } = await fourPods({ maxUnavailable: 1 });
    server.evict(first.metadata);
    await advance(60);
    expect(pods().map(({ metadata }) => metadata.uid)).not.toContain(first.metadata.uid);
    expect(server.evict(pods()[0]?.metadata ?? { name: "" }).kind).toBe("evicted");
  });

  it("evicts a pod that is not ready only while the healthy ones suffice, or always by policy", async () => {
    const healthy = await fourPods({ minAvailable: 3 }, "False");
    expect(healthy.server.evict(healthy.first.metadata).kind).toBe("evicted");
    const short = await fourPods({ minAvailable: 4 }, "False");
    expect(short.server.evict(short.first.metadata).kind).toBe("blocked");
    const always = await fourPods({ minAvailable: 4, unhealthyPodEvictionPolicy: "AlwaysAllow" }, "False");
    expect(always.server.evict(always.first.metadata).kind).toBe("evicted");
  });

  it("with a share of pods that have no scale allows nothing", async () => {
    const { server, advance, pods, addNode } = clusterInVirtualTime();
    addNode("node-1");
    server.create("DaemonSet", daemonSetNamed("web"));
    server.create("PodDisruptionBudget", budgetNamed("web", { selector, maxUnavailable: 1 }));
    await advance(60);
    expect(pods().map(({ metadata }) => server.evict(metadata).kind)).toEqual(["blocked"]);
  });
});
