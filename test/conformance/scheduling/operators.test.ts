import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { type NodeExpression, nodeTerms, pendingPod } from "../../support/pods.ts";

const key = "test-key";
const defining = [nodePool("default", { labels: { [key]: "test-value" } })];

function asking(name: string, ...expressions: NodeExpression[]) {
  return pendingPod(name, { cpu: "100m", spec: expressions.length > 0 ? nodeTerms(expressions) : {} });
}

/** The key's value on each new node; undefined where the label is absent. */
function valuesOf(world: Parameters<typeof solve>[0]) {
  const { nodes, unscheduled } = solve(world);
  expect(unscheduled).toEqual([]);
  return nodes.map(({ labels }) => labels[key]);
}

function expectNone(expression: NodeExpression) {
  const { plan } = solve({ pods: [asking("p", expression)], pools: defining });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /test-key/);
}

conforms("sched.logic | NodePool not Ready | pod not scheduled", () => {
  const ready = (status: "True" | "False") => ({
    ...nodePool(),
    status: {
      conditions: [{ type: "Ready", status, reason: "", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    },
  });
  const { plan } = solve({ pods: [asking("p")], pools: [ready("False")] });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /not ready/);
  expect(solve({ pods: [asking("p")], pools: [ready("True")] }).nodes).toHaveLength(1);
});

conforms("sched.logic | NotIn, key undefined | scheduled, label absent on node", () => {
  expect(valuesOf({ pods: [asking("p", [key, "NotIn", "test-value"])] })).toEqual([undefined]);
});

conforms("sched.logic | DoesNotExist, key undefined | scheduled, label absent", () => {
  expect(valuesOf({ pods: [asking("p", [key, "DoesNotExist"])] })).toEqual([undefined]);
});

conforms("sched.logic | pool defines key, pod unconstrained | scheduled with pool's value", () => {
  expect(valuesOf({ pods: [asking("p")], pools: defining })).toEqual(["test-value"]);
});

conforms("sched.logic | In with matching value | scheduled", () => {
  expect(valuesOf({ pods: [asking("p", [key, "In", "test-value"])], pools: defining })).toEqual(["test-value"]);
});

conforms("sched.logic | NotIn containing the only value | not scheduled", () => {
  expectNone([key, "NotIn", "test-value"]);
});

conforms("sched.logic | Exists, key defined | scheduled", () => {
  expect(valuesOf({ pods: [asking("p", [key, "Exists"])], pools: defining })).toEqual(["test-value"]);
});

conforms("sched.logic | DoesNotExist, key defined | not scheduled", () => {
  expectNone([key, "DoesNotExist"]);
});

conforms("sched.logic | In with a different value | not scheduled", () => {
  expectNone([key, "In", "another-value"]);
});

conforms("sched.logic | NotIn with a different value | scheduled", () => {
  expect(valuesOf({ pods: [asking("p", [key, "NotIn", "another-value"])], pools: defining })).toEqual(["test-value"]);
});

const open = [nodePool("default", { requirements: [oneOf(key, "test-value", "another-value")] })];

conforms("sched.logic | two pods with compatible expressions on a custom key | one shared node", () => {
  const pods = [asking("in", [key, "In", "test-value"]), asking("not-in", [key, "NotIn", "another-value"])];
  expect(valuesOf({ pods, pools: open })).toEqual(["test-value"]);
});

conforms(
  "sched.logic | two pods needing different values of a custom key | two nodes, each labelled accordingly",
  () => {
    const pods = [asking("one", [key, "In", "test-value"]), asking("two", [key, "In", "another-value"])];
    const { nodes } = solve({ pods, pools: open });
    expect(nodes.map(({ pods: own, labels }) => [own[0], labels[key]]).sort()).toEqual([
      ["one", "test-value"],
      ["two", "another-value"],
    ]);
  },
);

conforms("sched.logic | pod has Exists on a key another pod fixed by In | value from In kept", () => {
  const pods = [asking("in", [key, "In", "another-value"]), asking("exists", [key, "Exists"])];
  expect(valuesOf({ pods, pools: open })).toEqual(["another-value"]);
});

/** Required OR-terms, and preferences with their weights. */
function affinity(
  terms: readonly NodeExpression[][],
  preferences: readonly (readonly [weight: number, ...NodeExpression])[] = [],
) {
  const preferred = preferences.map(([weight, name, operator, ...values]) => ({
    weight,
    preference: { matchExpressions: [{ key: name, operator, values: values as string[] }] },
  }));
  const required = terms.length === 0 ? {} : nodeTerms(...terms.map((term) => [...term])).affinity?.nodeAffinity;
  return pendingPod("p", {
    cpu: "100m",
    spec: { affinity: { nodeAffinity: { ...required, preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
  });
}

conforms("sched.fallback.required | single OR-term left that can't match | never dropped; not scheduled", () => {
  const { plan } = solve({ pods: [affinity([[[label.zone, "In", "invalid"]]])] });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /invalid/);
});

conforms(
  "sched.fallback.required | four OR-terms, first two invalid, third z1, fourth z2 | z1 (fourth never tried)",
  () => {
    const pod = affinity([
      [[label.zone, "In", "invalid"]],
      [[label.zone, "In", "invalid"]],
      [[label.zone, "In", "a"]],
      [[label.zone, "In", "b"]],
    ]);
    expect(solve({ pods: [pod] }).nodes.map(({ zone }) => zone)).toEqual(["a"]);
  },
);

conforms("sched.fallback.preferred | weights 100 invalid, 50 → z2, 1 → z1 | z2", () => {
  const pod = affinity(
    [],
    [
      [100, label.instanceType, "In", "invalid"],
      [50, label.zone, "In", "b"],
      [1, label.zone, "In", "a"],
    ],
  );
  expect(solve({ pods: [pod] }).nodes.map(({ zone }) => zone)).toEqual(["b"]);
});

conforms("sched.fallback.preferred | preference excludes the zone the requirement demands | requirement wins", () => {
  const pod = affinity([[[label.zone, "In", "c"]]], [[1, label.zone, "NotIn", "c"]]);
  expect(solve({ pods: [pod] }).nodes.map(({ zone }) => zone)).toEqual(["c"]);
});

conforms("sched.fallback.preferred | two preferences contradict each other | scheduled", () => {
  const pod = affinity(
    [],
    [
      [1, label.capacityType, "In", "spot"],
      [1, label.capacityType, "In", "on-demand"],
    ],
  );
  const { nodes, unscheduled } = solve({ pods: [pod] });
  expect(nodes).toHaveLength(1);
  expect(unscheduled).toEqual([]);
});
