import { describe, expect, it } from "vitest";
import { formatTime } from "../../../shared/api/time.ts";
import { doNotDisrupt } from "../../../shared/simulator/invariants/do-not-disrupt.ts";
import { addPod, addRunningNode, nodeNameOf } from "../../support/controller-world.ts";
import { as, expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

const key = "karpenter.sh/do-not-disrupt";

function protectedPod(wish: string) {
  const { cluster, world } = observedWorld();
  const invariant = doNotDisrupt(world);
  addRunningNode(cluster, "one");
  addPod(cluster, "db", "one", { annotations: { [key]: wish } });
  const evict = () => cluster.server.evict({ name: "db", namespace: "default" }, as("termination"));
  const disrupt = (by = "disruption") => cluster.server.delete("NodeClaim", { name: "one" }, as(by));
  return { cluster, invariant, evict, disrupt };
}

describe("do-not-disrupt is kept", () => {
  it("is broken by an eviction of a pod that carries it", () => {
    const { invariant, evict } = protectedPod("true");
    evict();
    expectBroken(findingOf(invariant), "Pod default/db", "taken away by termination");
  });

  it("lasts as long after the pod's start as it says", async () => {
    const early = protectedPod("5m");
    await early.cluster.advance(299);
    early.evict();
    expectBroken(findingOf(early.invariant), "Pod default/db");
    const late = protectedPod("5m");
    await late.cluster.advance(300);
    late.evict();
    expect(findingOf(late.invariant)).toBe("holds");
  });

  it("is broken by voluntary disruption of the pod's node, not by an interruption", () => {
    const chosen = protectedPod("true");
    chosen.disrupt();
    expectBroken(findingOf(chosen.invariant), "NodeClaim one", "Pod db");
    const forced = protectedPod("true");
    forced.disrupt("interruption");
    expect(findingOf(forced.invariant)).toBe("holds");
  });

  it("is broken by voluntary disruption of a node that carries it itself", () => {
    const { cluster, invariant, disrupt } = protectedPod("false");
    cluster.server.patch("Node", { name: nodeNameOf("one") }, { metadata: { annotations: { [key]: "true" } } });
    disrupt();
    expectBroken(findingOf(invariant), "NodeClaim one", `Node ${nodeNameOf("one")}`);
  });

  it("ends with the pod's machine, and with the claim's termination timestamp", async () => {
    const dead = protectedPod("true");
    dead.cluster.ec2.end("i-one");
    dead.evict();
    expect(findingOf(dead.invariant)).toBe("holds");
    const overdue = protectedPod("true");
    const at = formatTime(overdue.cluster.now() + 60_000);
    const annotations = { "karpenter.sh/nodeclaim-termination-timestamp": at };
    overdue.cluster.server.patch("NodeClaim", { name: "one" }, { metadata: { annotations } });
    await overdue.cluster.advance(31);
    overdue.evict();
    expect(findingOf(overdue.invariant)).toBe("holds");
  });
});
