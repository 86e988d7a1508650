import { describe, expect, it } from "vitest";
import { replacementFirst } from "../../../shared/simulator/invariants/replacement-first.ts";
import { formatNominations } from "../../../shared/state/nominations.ts";
import { podRecord } from "../../../shared/state/pod-decoding.ts";
import { formatReplacement } from "../../../shared/state/replacement.ts";
import { addClaim, addPod, addRunningNode, nodeNameOf } from "../../support/controller-world.ts";
import { as, expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

/** A pod with a grace of 20 s on a node whose spot notice has just come. */
function noticed(reason: "spot-interruption" | "rebalance" = "spot-interruption", graceSeconds = 20) {
  const { cluster, world } = observedWorld();
  const invariant = replacementFirst(world);
  addRunningNode(cluster, "old");
  const pod = addPod(cluster, "web", "old", { spec: { terminationGracePeriodSeconds: graceSeconds } });
  const now = cluster.now();
  const deadline = reason === "rebalance" ? {} : { deadlineAt: now + 120_000 };
  const mark = { reason, noticedAt: now, ...deadline };
  const annotations = { "journeyman.sh/replace": formatReplacement(mark) };
  cluster.server.patch("Node", { name: nodeNameOf("old") }, { metadata: { annotations } });
  const evict = () => cluster.server.evict({ name: "web", namespace: "default" }, as("termination"));
  const nominate = (conditions: readonly string[]) => {
    const { uid, classKey } = podRecord(pod);
    const nominated = formatNominations([{ uid, owner: "", class: classKey }]);
    addClaim(cluster, "new", { conditions, annotations: { "journeyman.sh/nominated-pods": nominated } });
  };
  return { cluster, invariant, evict, nominate, pod };
}

describe("replacement before eviction", () => {
  it("holds when the pod's next node is initialized", () => {
    const { invariant, evict, nominate } = noticed();
    nominate(["Launched", "Registered", "Initialized"]);
    evict();
    expect(findingOf(invariant)).toBe("holds");
  });

  it("is broken by an eviction that only a sibling's nomination would excuse", () => {
    const { cluster, invariant, evict, pod } = noticed();
    const { classKey } = podRecord(pod);
    const nominated = formatNominations([{ uid: "sibling", owner: "", class: classKey }]);
    const conditions = ["Launched", "Registered", "Initialized"];
    addClaim(cluster, "new", { conditions, annotations: { "journeyman.sh/nominated-pods": nominated } });
    evict();
    expectBroken(findingOf(invariant), "Pod default/web");
  });

  it("is broken by an eviction while the next node is on its way", () => {
    const { invariant, evict, nominate } = noticed();
    nominate(["Launched", "Registered"]);
    evict();
    expectBroken(findingOf(invariant), "Pod default/web", "before an initialized NodeClaim", "12:01:25");
  });

  it("lets a pod go when its grace and a margin are all the time that is left", async () => {
    const { cluster, invariant, evict } = noticed();
    await cluster.advance(85);
    evict();
    expect(findingOf(invariant)).toBe("holds");
  });

  it("lets a pod go at once whose grace is longer than the notice", () => {
    const { invariant, evict } = noticed("spot-interruption", 300);
    evict();
    expect(findingOf(invariant)).toBe("holds");
  });

  it("holds for a pod that room was found for", () => {
    const { cluster, invariant, evict, pod } = noticed();
    const mark = formatReplacement({
      reason: "spot-interruption",
      noticedAt: cluster.now(),
      roomFor: [pod.metadata.uid ?? ""],
    });
    const annotations = { "journeyman.sh/replace": mark };
    cluster.server.patch("Node", { name: nodeNameOf("old") }, { metadata: { annotations } });
    evict();
    expect(findingOf(invariant)).toBe("holds");
  });

  it("waits for ten minutes where nothing forces a time", async () => {
    const { cluster, invariant, evict } = noticed("rebalance");
    await cluster.advance(599);
    evict();
    expectBroken(findingOf(invariant), "rebalance");
  });
});
