import { describe, expect, it } from "vitest";
import { settledObjects } from "../../../shared/simulator/invariants/settled-objects.ts";
import { podNamed } from "../../support/cluster-objects.ts";
import { addClaim, addPod, addRunningNode, nodeNameOf } from "../../support/controller-world.ts";
import { expectBroken, finalFindingOf, observedWorld } from "../../support/observed-world.ts";

function settled() {
  const { cluster, world } = observedWorld();
  addRunningNode(cluster, "one");
  addPod(cluster, "web", "one");
  return { cluster, invariant: settledObjects(world) };
}

describe("nothing is lost at the end", () => {
  it("holds when pods run and nodes and claims have each other", async () => {
    const { cluster, invariant } = settled();
    await cluster.advance(3_600);
    expect(finalFindingOf(invariant)).toBe("holds");
  });

  it("is broken by a pod that nobody finds a place for", async () => {
    const { cluster, invariant } = settled();
    cluster.server.create("Pod", podNamed("forgotten"));
    await cluster.advance(181);
    expectBroken(finalFindingOf(invariant), "Pod default/forgotten", "not running without a node after 181 s");
  });

  it("forgives a pod that the latest plan refused", async () => {
    const { cluster, invariant } = settled();
    cluster.server.create("Pod", podNamed("giant"));
    await cluster.advance(181);
    cluster.telemetry.log("info", "plan", { unschedulable: [{ pod: "default/giant", reasons: [] }] });
    expect(finalFindingOf(invariant)).toBe("holds");
  });

  it("is broken by a claim that never gets rid of its finalizer", async () => {
    const { cluster, invariant } = settled();
    cluster.server.delete("NodeClaim", { name: "one" });
    await cluster.advance(121);
    expectBroken(finalFindingOf(invariant), "NodeClaim one", "karpenter.sh/termination");
  });

  it("is broken by a node whose claim is gone", async () => {
    const { cluster, invariant } = settled();
    cluster.server.delete("NodeClaim", { name: "one" });
    cluster.server.patch("NodeClaim", { name: "one" }, { metadata: { finalizers: [] } });
    await cluster.advance(121);
    expectBroken(finalFindingOf(invariant), `Node ${nodeNameOf("one")}`, "without a NodeClaim");
  });

  it("is broken by a claim that never gets a node", async () => {
    const { cluster, invariant } = settled();
    addClaim(cluster, "two");
    await cluster.advance(301);
    expectBroken(finalFindingOf(invariant), "NodeClaim two", "without a Node after 301 s");
  });

  it("is broken by a pod that outlives its grace", async () => {
    const { cluster, invariant } = settled();
    cluster.server.delete("Pod", { name: "web", namespace: "default" });
    await cluster.advance(30 + 121);
    expectBroken(finalFindingOf(invariant), "Pod default/web", "121 s past the end of its grace");
  });
});
