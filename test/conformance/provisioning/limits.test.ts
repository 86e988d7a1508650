import { expect } from "vitest";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, fake, type Solved, solve } from "../../support/karpenter-fixture.ts";
import { nodePool } from "../../support/node-pools.ts";
import { claimedNode } from "../../support/nodes.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { awayFrom, pendingPod, pendingPods, runningPod } from "../../support/pods.ts";

const reason = /limits/;
const limited = (limits: Readonly<Record<string, string>>) => [nodePool("default", { limits })];

function next(solved: Solved, ...pods: ReturnType<typeof pendingPod>[]): Solved {
  return solve(carriedOut(solved, "registered", { pods }));
}

conforms("limits | usage already above limit | not scheduled", () => {
  const { node, claim } = claimedNode("full", { cpu: "4" });
  const pods = [runningPod("busy", "full", { cpu: "4" }), pendingPod("p", { cpu: "100m" })];
  const world = { nodes: [node], nodeClaims: [claim], pods };
  const { plan } = solve({ ...world, pools: limited({ cpu: "3" }) });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], reason);
  expect(solve({ ...world, pools: limited({ cpu: "6" }) }).nodes).toHaveLength(1);
});

conforms("limits | limit 2 CPU, pod 1.75 | scheduled on 2-CPU type", () => {
  const { nodes } = solve({ pods: [pendingPod("p", { cpu: "1750m" })], pools: limited({ cpu: "2" }) });
  expect(nodes.map(({ type }) => type)).toEqual([fake.small]);
});

conforms("limits | limit 3 CPU, two anti-affine 1.5 pods | one scheduled", () => {
  const pods = pendingPods(2, "p", { cpu: "1500m", spec: awayFrom("p") });
  const { nodes, unscheduled } = solve({ pods, pools: limited({ cpu: "3" }) });
  expect(nodes.map(({ pods: own }) => own.length)).toEqual([1]);
  expect(unscheduled).toHaveLength(1);
});

conforms("limits | limit 2, pod 2.1 | not scheduled", () => {
  const { plan } = solve({ pods: [pendingPod("p", { cpu: "2100m" })], pools: limited({ cpu: "2" }) });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], reason);
});

conforms("limits | limit 2; second round another 1.75 pod | second not scheduled", () => {
  const first = solve({ pods: [pendingPod("one", { cpu: "1750m" })], pools: limited({ cpu: "2" }) });
  expect(first.nodes).toHaveLength(1);
  for (const stage of ["written", "launched", "registered"] as const) {
    const second = solve(carriedOut(first, stage, { pods: [pendingPod("two", { cpu: "1750m" })] }));
    expect(second.nodes, stage).toEqual([]);
    expectUnschedulable(second.plan, ["two"], reason);
  }
});

conforms("limits | limits.nodes=2, three successive anti-affine pods | third not scheduled", () => {
  const apart = (name: string) => pendingPod(name, { cpu: "100m", app: "p", spec: awayFrom("p") });
  const first = solve({ pods: [apart("one")], pools: limited({ nodes: "2" }) });
  const second = next(first, apart("two"));
  const third = next(second, apart("three"));
  expect([first, second, third].map(({ nodes }) => nodes.length)).toEqual([1, 1, 0]);
  expectUnschedulable(third.plan, ["three"], reason);
});
