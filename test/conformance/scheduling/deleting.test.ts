import { expect } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import type { PodDisruptionBudget } from "../../../shared/api/policy.ts";
import { budgetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { claimedNode } from "../../support/nodes.ts";
import { type PlanningPod, runningPod } from "../../support/pods.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";

/** The nodes that are made for the pods of a node that is being deleted. */
function replacements(pods: readonly Pod[], budgets: readonly PodDisruptionBudget[] = []) {
  const { node, claim } = claimedNode("leaving");
  const going = { ...claim, metadata: { ...claim.metadata, deletionTimestamp } };
  return solve({ pods, budgets, nodes: [node], nodeClaims: [going] }).nodes.map(({ pods: names }) => names);
}

function running(input: PlanningPod = {}, isTerminating = false) {
  return runningPod("p", "leaving", {
    cpu: "100m",
    ...input,
    ...(isTerminating && { metadata: { deletionTimestamp } }),
  });
}

conforms("sched.deleting | active pod on marked node | replacement launched (2 nodes)", () => {
  expect(replacements([running()])).toEqual([["p"]]);
});

conforms("sched.deleting | pod terminating, no owner | no replacement", () => {
  expect(replacements([running({}, true)])).toEqual([]);
});

conforms("sched.deleting | DaemonSet pod | no replacement", () => {
  expect(replacements([running({ owner: { kind: "DaemonSet", uid: "ds" } })])).toEqual([]);
});

conforms("sched.deleting | terminating ReplicaSet pod | no replacement", () => {
  const owner = { kind: "ReplicaSet", uid: "rs" };
  expect(replacements([running({ owner }, true)])).toEqual([]);
  expect(replacements([running({ owner })])).toEqual([["p"]]);
});

conforms("sched.deleting | terminating StatefulSet pod | replacement launched", () => {
  expect(replacements([running({ owner: { kind: "StatefulSet", uid: "db" } }, true)])).toEqual([["p"]]);
});

conforms(
  "sched.deleting | pod fully blocked by PDB: maxUnavailable 0 / 0% / minAvailable 100% / two PDBs (x4) | no replacement",
  () => {
    const selector = { matchLabels: { app: "web" } };
    const pods = [running({ app: "web" })];
    const blocking = [
      [budgetNamed("none", { selector, maxUnavailable: 0 })],
      [budgetNamed("none", { selector, maxUnavailable: "0%" })],
      [budgetNamed("all", { selector, minAvailable: "100%" })],
      [budgetNamed("one", { selector, maxUnavailable: 1 }), budgetNamed("two", { selector, maxUnavailable: 1 })],
    ];
    for (const budgets of blocking) expect(replacements(pods, budgets)).toEqual([]);
    expect(replacements(pods, [budgetNamed("one", { selector, maxUnavailable: 1 })])).toEqual([["p"]]);
  },
);
