import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { budgetNamed, daemonSetNamed } from "../../support/cluster-objects.ts";
import { claimedNode, inFlightClaim, plainNode } from "../../support/nodes.ts";
import { expectAllPlaced, expectExisting, expectNodes } from "../../support/plans.ts";
import { nodeTerms, pendingPod, pendingPods, runningPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const leaving = { "journeyman.sh/replace": JSON.stringify({ reason: "rebalance", noticedAt: 0 }) };
const ending = {
  "journeyman.sh/replace": JSON.stringify({ reason: "spot-interruption", noticedAt: 0, deadlineAt: 9 }),
};
const nominating = (...uids: string[]) => ({
  "journeyman.sh/nominated-pods": JSON.stringify(uids.map((uid) => ({ uid, owner: "", class: "" }))),
});

describe("demand", () => {
  it("is the pods that kube-scheduler has given up on, and no others", () => {
    const gated = { ...pendingPod("gated"), status: { phase: "Pending", conditions: [] } };
    const daemon = pendingPod("daemon", { owner: { kind: "DaemonSet", uid: "agent" } });
    const nominated = { ...pendingPod("nominated"), status: { ...pendingPod("x").status, nominatedNodeName: "n" } };
    const nodes = [plainNode("n", { taints: [{ key: "full", effect: "NoSchedule" }] })];
    const refusing = pendingPod("refusing", { spec: nodeTerms([[label.nodePool, "DoesNotExist"]]) });
    const plan = planFor({ pods: [gated, daemon, nominated, refusing, pendingPod("web")], nodes });
    expectNodes(plan, "m5.large in a: web");
    expectAllPlaced(plan);
  });

  it("has the pods of leaving nodes that will come back", () => {
    const nodes = [plainNode("n", { annotations: leaving, cpu: "20" })];
    const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    const pods = [
      runningPod("web", "n"),
      runningPod("agent", "n", { owner: { kind: "DaemonSet", uid: "agent" } }),
      runningPod("going", "n", { owner: { kind: "ReplicaSet", uid: "rs" }, metadata: deleted }),
      runningPod("db-0", "n", { owner: { kind: "StatefulSet", uid: "db" }, metadata: deleted }),
    ];
    expectNodes(planFor({ pods, nodes }), "m5.large in a: db-0 web");
  });

  it("leaves out pods that may not be disrupted, until their machine ends anyway", () => {
    const pods = [runningPod("web", "n", { annotations: { "karpenter.sh/do-not-disrupt": "true" } })];
    expectNodes(planFor({ pods, nodes: [plainNode("n", { annotations: leaving })] }));
    expectNodes(planFor({ pods, nodes: [plainNode("n", { annotations: ending })] }), "m5.large in a: web");
  });

  it("leaves out pods that a budget will never let go, until their machine ends anyway", () => {
    const pods = [runningPod("web", "n", { app: "web" })];
    const budgets = [budgetNamed("none", { maxUnavailable: 0, selector: { matchLabels: { app: "web" } } })];
    expectNodes(planFor({ pods, budgets, nodes: [plainNode("n", { annotations: leaving })] }));
    expectNodes(planFor({ pods, budgets, nodes: [plainNode("n", { annotations: ending })] }), "m5.large in a: web");
  });

  it("leaves out pods that a launching claim is meant for", () => {
    const claim = { ...inFlightClaim("c", { claimAnnotations: nominating("web-0", "web-1") }) };
    const plan = planFor({ pods: pendingPods(2, "web"), nodeClaims: [claim] });
    expectNodes(plan);
    expectExisting(plan, {});
  });

  it("has nominated pods again when the node they were meant for is leaving", () => {
    const { node, claim } = claimedNode("n", { annotations: ending, claimAnnotations: nominating("web") });
    expectNodes(planFor({ pods: [pendingPod("web")], nodes: [node], nodeClaims: [claim] }), "m5.large in a: web");
  });
});

describe("room that exists", () => {
  it("is filled before anything is bought", () => {
    const plan = planFor({ pods: pendingPods(5, "web"), nodes: [plainNode("n", { cpu: "4" })] });
    expectExisting(plan, { n: "web-0 web-1 web-2 web-3" });
    expectNodes(plan, "m5.large in a: web-4");
  });

  it("is on initialized nodes first, then on claims that are launched", () => {
    const { node, claim } = claimedNode("a-starting", { initialized: false });
    const plan = planFor({ pods: pendingPods(6, "web"), nodes: [node, plainNode("ready")], nodeClaims: [claim] });
    expectExisting(plan, { ready: "web-0 web-1 web-2 web-3", "a-starting": "web-4 web-5" });
  });

  it("is kept for the pods it was made for", () => {
    const claim = inFlightClaim("c", { claimAnnotations: nominating("a", "b") });
    const pods = [pendingPod("a"), pendingPod("b"), ...pendingPods(3, "web")];
    const plan = planFor({ pods, nodeClaims: [claim] });
    expectExisting(plan, { c: "web-0 web-1" });
    expectNodes(plan, "m5.large in a: web-2");
  });

  it.each([
    ["leaves", { annotations: leaving }],
    ["is tainted", { taints: [{ key: "own", effect: "NoSchedule" as const }] }],
    ["is in another zone", { zone: "b" }],
  ])("is none where the node %s", (_, options) => {
    const pod = pendingPod("web", { spec: { nodeSelector: { [label.zone]: "a" } } });
    expectNodes(planFor({ pods: [pod], nodes: [plainNode("n", options)] }), "m5.large in a: web");
  });

  it("ignores taints that a starting node loses by itself, but not once it has started", () => {
    const taints = [
      { key: "startup", effect: "NoSchedule" as const },
      { key: "node.kubernetes.io/not-ready", effect: "NoExecute" as const },
    ];
    const options = { taints, startupTaints: taints.slice(0, 1) };
    const starting = claimedNode("n", { ...options, initialized: false });
    const started = claimedNode("n", options);
    const plan = ({ node, claim }: typeof started) =>
      planFor({ pods: [pendingPod("web")], nodes: [node], nodeClaims: [claim] });
    expectExisting(plan(starting), { n: "web" });
    expectNodes(plan(started), "m5.large in a: web");
  });

  it("is what DaemonSets leave, those to come included", () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "1500m" })];
    const pods = pendingPods(3, "web");
    expectExisting(planFor({ pods, daemonSets, nodes: [plainNode("n")] }), { n: "web-0 web-1" });
    const agent = runningPod("agent", "n", { cpu: "1500m", owner: { kind: "DaemonSet", uid: "agent" } });
    expectExisting(planFor({ pods: [...pods, agent], daemonSets, nodes: [plainNode("n")] }), { n: "web-0 web-1" });
  });

  it("has no host port that is taken", () => {
    const spec = { containers: [{ ports: [{ hostPort: 80 }], resources: { requests: { cpu: "1" } } }] };
    const pods = [runningPod("old", "n", { spec }), pendingPod("new", { spec })];
    expect(planFor({ pods, nodes: [plainNode("n")] }).nodeClaims).toHaveLength(1);
  });

  it("is on cordoned nodes for those that tolerate it", () => {
    const plain = plainNode("n");
    const nodes = [{ ...plain, spec: { ...plain.spec, unschedulable: true } }];
    const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" as const }];
    expectExisting(planFor({ pods: [pendingPod("web", { spec: { tolerations } })], nodes }), { n: "web" });
    expectNodes(planFor({ pods: [pendingPod("web")], nodes }), "m5.large in a: web");
  });
});
