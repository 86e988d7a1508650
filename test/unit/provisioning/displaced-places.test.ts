import { describe, expect, it } from "vitest";
import { carriedOut, solve } from "../../support/karpenter-fixture.ts";
import { plainNode } from "../../support/nodes.ts";
import { pendingPod, runningPod } from "../../support/pods.ts";

const leaving = plainNode("leaving", { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] });

/** A pod of this kind was planned onto a new node; now it is gone, nothing has come for it, and another pod waits. */
function afterItIsGone(kind: "StatefulSet" | "ReplicaSet") {
  const displaced = runningPod("db-0", "leaving", { cpu: "1500m", owner: { kind, uid: "db" } });
  const first = solve({ pods: [displaced], nodes: [leaving] });
  expect(first.nodes.map(({ pods }) => pods)).toEqual([["db-0"]]);
  const launched = carriedOut(first, "launched");
  return solve({ ...launched, pods: [pendingPod("other", { cpu: "1500m" })] });
}

describe("the place of a displaced pod that is gone", () => {
  it("is kept for the pod that its StatefulSet has yet to make", () => {
    const { existing, nodes } = afterItIsGone("StatefulSet");
    expect(existing).toEqual({});
    expect(nodes.map(({ pods }) => pods)).toEqual([["other"]]);
  });

  it("is free where its owner would have made another before", () => {
    const { existing, nodes } = afterItIsGone("ReplicaSet");
    expect(Object.values(existing)).toEqual([["other"]]);
    expect(nodes).toEqual([]);
  });
});
