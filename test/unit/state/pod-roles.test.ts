import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { podRecord } from "../../../shared/state/pod-decoding.ts";
import { isFullyBlocked } from "../../../shared/state/pod-eviction.ts";
import {
  hasResourceClaims,
  isReschedulable,
  refusesNodePools,
  waitingReason,
} from "../../../shared/state/pod-roles.ts";
import { budgetNamed } from "../../support/cluster-objects.ts";
import { type NodeExpression, nodeTerms, type PlanningPod, pendingPod, runningPod } from "../../support/pods.ts";

const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const ownedBy = (kind: string): PlanningPod => ({ owner: { kind, uid: "owner" } });

describe("provisionable pods", () => {
  const isWanted = (pod: Parameters<typeof podRecord>[0], ...nodes: string[]) =>
    waitingReason(podRecord(pod), new Set(nodes)) === undefined;

  it("are unschedulable, not being deleted, and not tied to a node", () => {
    expect(isWanted(pendingPod("p", ownedBy("ReplicaSet")))).toBe(true);
    expect(isWanted(pendingPod("p", { metadata: deleted }))).toBe(false);
    expect(isWanted(pendingPod("p", ownedBy("DaemonSet")))).toBe(false);
    expect(isWanted(pendingPod("p", ownedBy("Node")))).toBe(false);
  });

  it("wait for no preemption, unless its node is gone", () => {
    const pod = pendingPod("p");
    const nominated = { ...pod, status: { ...pod.status, nominatedNodeName: "n" } };
    expect(isWanted(nominated, "n")).toBe(false);
    expect(isWanted(nominated)).toBe(true);
  });
});

describe("reschedulable pods", () => {
  it("are those that come back elsewhere", () => {
    const comesBack = (input: PlanningPod) => isReschedulable(podRecord(runningPod("p", "n", input)));
    expect(comesBack(ownedBy("ReplicaSet"))).toBe(true);
    expect(comesBack({ ...ownedBy("ReplicaSet"), metadata: deleted })).toBe(false);
    expect(comesBack({ ...ownedBy("StatefulSet"), metadata: deleted })).toBe(true);
    expect(comesBack(ownedBy("DaemonSet"))).toBe(false);
    expect(comesBack(ownedBy("Node"))).toBe(false);
  });
});

describe("pods that refuse NodePools", () => {
  it("say that the NodePool's label must not exist", () => {
    const refuses = (operator: "DoesNotExist" | "Exists") =>
      refusesNodePools(podRecord(pendingPod("p", { spec: nodeTerms([[label.nodePool, operator]]) })));
    expect([refuses("DoesNotExist"), refuses("Exists")]).toEqual([true, false]);
  });

  it("say so in each of their OR-terms, for one that does not is enough for a node of ours", () => {
    const noPool: NodeExpression = [label.nodePool, "DoesNotExist"];
    const zonal: NodeExpression = [label.zone, "In", "z1"];
    const refuses = (...terms: NodeExpression[][]) =>
      refusesNodePools(podRecord(pendingPod("p", { spec: nodeTerms(...terms) })));
    expect([refuses([noPool], [zonal]), refuses([zonal], [noPool]), refuses([noPool], [noPool, zonal])]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("are not those that ask for two NodePools at once", () => {
    const spec = { ...nodeTerms([[label.nodePool, "In", "q"]]), nodeSelector: { [label.nodePool]: "p" } };
    expect(refusesNodePools(podRecord(pendingPod("p", { spec })))).toBe(false);
  });
});

it("pods with resource claims are told from others", () => {
  const claims = (...names: readonly string[]) =>
    hasResourceClaims(podRecord(pendingPod("p", { spec: { resourceClaims: names.map((name) => ({ name })) } })));
  expect([claims("gpu"), claims(), hasResourceClaims(podRecord(pendingPod("p")))]).toEqual([true, false, false]);
});

describe("pods that no budget will ever let go", () => {
  const selector = { matchLabels: { app: "web" } };
  const ready = { ...podRecord(runningPod("p", "n", { app: "web" })), ready: true };

  it.each([{ maxUnavailable: 0 }, { maxUnavailable: "0%" }, { minAvailable: "100%" }])("are under %o", (spec) => {
    expect(isFullyBlocked(ready, [budgetNamed("b", { ...spec, selector })])).toBe(true);
  });

  it("are under two budgets, because the Eviction API refuses to choose", () => {
    const loose = ["b", "c"].map((name) => budgetNamed(name, { maxUnavailable: 1, selector }));
    expect(isFullyBlocked(ready, loose)).toBe(true);
    expect(isFullyBlocked(ready, loose.slice(0, 1))).toBe(false);
  });

  it("are not those that are unhealthy where the budget lets these go", () => {
    const budget = budgetNamed("b", { maxUnavailable: 0, selector, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    expect(isFullyBlocked({ ...ready, ready: false }, [budget])).toBe(false);
  });
});
