import { describe, expect, it } from "vitest";
import type { PodDisruptionBudget } from "../../../shared/api/policy.ts";
import { evictionBudgets } from "../../../shared/simulator/invariants/eviction-budgets.ts";
import { budgetNamed, replicaSetNamed } from "../../support/cluster-objects.ts";
import { addPod, addRunningNode, type ControllerWorld } from "../../support/controller-world.ts";
import { as, expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

function threePods(spec: Omit<PodDisruptionBudget["spec"], "selector">) {
  const { cluster, world } = observedWorld();
  const invariant = evictionBudgets(world);
  addRunningNode(cluster, "one");
  cluster.server.create(
    "PodDisruptionBudget",
    budgetNamed("web", { ...spec, selector: { matchLabels: { app: "web" } } }),
  );
  const { metadata } = cluster.server.create("ReplicaSet", replicaSetNamed("web", { replicas: 3 }));
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: metadata.uid ?? "", controller: true };
  for (const name of ["web-1", "web-2", "web-3"]) {
    addPod(cluster, name, "one", { labels: { app: "web" }, metadata: { ownerReferences: [owner] } });
  }
  return { cluster, invariant };
}

/** The bug: a deletion where an eviction was meant. */
function deletePods({ server }: ControllerWorld, ...names: readonly string[]): void {
  for (const name of names) server.delete("Pod", { name, namespace: "default" }, as("termination"));
}

function makeUnready({ server }: ControllerWorld, name: string): void {
  const conditions = [{ type: "Ready", status: "False" as const }];
  server.patch("Pod", { name, namespace: "default" }, { status: { conditions } }, { subresource: "status" });
}

describe("no eviction beyond a PDB", () => {
  it("holds for evictions that the API server grants", () => {
    const { cluster, invariant } = threePods({ maxUnavailable: 1 });
    for (const name of ["web-1", "web-2", "web-3"]) {
      cluster.server.evict({ name, namespace: "default" }, as("termination"));
    }
    expect(findingOf(invariant)).toBe("holds");
  });

  it.each([
    [{ maxUnavailable: 1 }, "leaves 1 healthy pods", "allowed: 2 at least"],
    [{ maxUnavailable: "34%" }, "leaves 0 healthy pods", "allowed: 1 at least"],
    [{ minAvailable: 2 }, "leaves 1 healthy pods", "allowed: 2 at least"],
    [{ minAvailable: "50%" }, "leaves 1 healthy pods", "allowed: 2 at least"],
  ])("is broken by deletions beyond %o", (spec, seen, allowed) => {
    const { cluster, invariant } = threePods(spec);
    deletePods(cluster, "web-1", "web-2", "web-3");
    expectBroken(findingOf(invariant), "PodDisruptionBudget web", seen, allowed);
  });

  it("counts a pod that is not ready as lost already", () => {
    const { cluster, invariant } = threePods({ minAvailable: 2 });
    makeUnready(cluster, "web-3");
    deletePods(cluster, "web-3");
    expect(findingOf(invariant)).toBe("holds");
    deletePods(cluster, "web-2");
    expectBroken(findingOf(invariant), "Pod default/web-2", "leaves 1 healthy pods");
  });

  it("does not protect a pod that is not ready when the budget gives it away", () => {
    const { cluster, invariant } = threePods({ minAvailable: 3, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    makeUnready(cluster, "web-3");
    deletePods(cluster, "web-3");
    expect(findingOf(invariant)).toBe("holds");
  });

  it("is not about pods that others delete, nor about those whose machine has ended", () => {
    const { cluster, invariant } = threePods({ minAvailable: 3 });
    cluster.server.delete("Pod", { name: "web-1", namespace: "default" });
    cluster.ec2.end("i-one");
    deletePods(cluster, "web-2");
    expect(findingOf(invariant)).toBe("holds");
  });
});
