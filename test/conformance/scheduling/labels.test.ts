import { expect } from "vitest";
import type { NodeSelectorRequirement, PodSpec } from "../../../shared/api/core.ts";
import { awsGroup, label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { type NodeExpression, nodeTerms, pendingPod } from "../../support/pods.ts";

const custom = "test-key";
const pools = [nodePool("default", { labels: { [custom]: "test-value" } })];
const cpus = `${awsGroup}/instance-cpu`;

function podWith(spec: Partial<PodSpec>) {
  return [pendingPod("p", { cpu: "100m", spec })];
}

function selecting(nodeSelector: Readonly<Record<string, string>>) {
  return podWith({ nodeSelector });
}

function requiring(...expressions: NodeExpression[]) {
  return podWith(nodeTerms(expressions));
}

/** Required terms beside weighted preferences of one expression each. */
function preferring(required: NodeExpression[], ...preferences: readonly NodeExpression[]) {
  const asEntry = ([key, operator, ...values]: NodeExpression): NodeSelectorRequirement => ({ key, operator, values });
  const preferred = preferences.map((expression, index) => ({
    weight: 100 - index,
    preference: { matchExpressions: [asEntry(expression)] },
  }));
  const nodeAffinity = {
    ...(required.length > 0 && nodeTerms(required).affinity?.nodeAffinity),
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  };
  return podWith({ affinity: { nodeAffinity } });
}

function zonesOf(world: Parameters<typeof solve>[0]) {
  return solve(world).nodes.map(({ zone }) => zone);
}

function expectNone(world: Parameters<typeof solve>[0], reason: RegExp) {
  const { plan } = solve(world);
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], reason);
}

conforms(
  "sched.custom-labels | NodePool template has a label, pod has no selector | schedules; node carries the label",
  () => {
    const { nodes } = solve({ pods: podWith({}), pools });
    expect(nodes.map(({ labels }) => labels[custom])).toEqual(["test-value"]);
  },
);

conforms("sched.custom-labels | pod selector gives another value for that label | not scheduled", () => {
  expectNone({ pods: selecting({ [custom]: "other" }), pools }, /test-key/);
});

conforms("sched.custom-labels | pod selector uses a key nobody defines | not scheduled", () => {
  expectNone({ pods: selecting({ nobody: "x" }), pools }, /nobody/);
});

conforms("sched.custom-labels | pod affinity lists the label's value among others | scheduled", () => {
  const { nodes } = solve({ pods: requiring([custom, "In", "test-value", "another"]), pools });
  expect(nodes.map(({ labels }) => labels[custom])).toEqual(["test-value"]);
});

conforms("sched.custom-labels | pod affinity lists only foreign values | not scheduled", () => {
  expectNone({ pods: requiring([custom, "In", "another", "third"]), pools }, /test-key/);
});

conforms("sched.well-known | NodePool requires a zone | node lands in that zone", () => {
  expect(
    zonesOf({ pods: podWith({}), pools: [nodePool("default", { requirements: [oneOf(label.zone, "b")] })] }),
  ).toEqual(["b"]);
});

conforms("sched.well-known | pod selects a zone allowed by the pool | node lands there", () => {
  const limited = [nodePool("default", { requirements: [oneOf(label.zone, "a", "b")] })];
  expect(zonesOf({ pods: selecting({ [label.zone]: "b" }), pools: limited })).toEqual(["b"]);
});

conforms("sched.well-known | pod selects kubernetes.io/hostname | not scheduled", () => {
  expectNone({ pods: selecting({ [label.hostname]: "some-node" }) }, /kubernetes\.io\/hostname/);
});

conforms("sched.well-known | pod selects a non-existent zone value | not scheduled", () => {
  expectNone({ pods: selecting({ [label.zone]: "unknown" }) }, /topology\.kubernetes\.io\/zone/);
});

conforms("sched.well-known | pod selects a zone outside the pool's list | not scheduled", () => {
  const limited = [nodePool("default", { requirements: [oneOf(label.zone, "a")] })];
  expectNone({ pods: selecting({ [label.zone]: "b" }), pools: limited }, /topology\.kubernetes\.io\/zone/);
});

conforms("sched.well-known | pod requires zone In {z3} | z3", () => {
  expect(zonesOf({ pods: requiring([label.zone, "In", "c"]) })).toEqual(["c"]);
});

conforms("sched.well-known | pod requires integer instance label Gt n | type with value > n", () => {
  const { nodes } = solve({ pods: requiring([cpus, "Gt", "4"]) });
  expect(nodes.map(({ type }) => type)).toEqual([fake.arm]);
});

conforms("sched.well-known | pod requires Lt n | type with value < n", () => {
  const { nodes, unscheduled } = solve({ pods: requiring([cpus, "Lt", "4"]) });
  expect(nodes.map(({ type }) => type)).toEqual([fake.small]);
  expect(unscheduled).toEqual([]);
  expectNone({ pods: requiring([cpus, "Lt", "2"]) }, /instance-cpu/);
});

conforms("sched.well-known | NodePool requirement Gte n | type with value ≥ n (n itself allowed)", () => {
  const typeFor = (least: string) => {
    const requirements = [{ key: cpus, operator: "Gte" as const, values: [least] }];
    return solve({ pods: podWith({}), pools: [nodePool("default", { requirements })] }).nodes.map(({ type }) => type);
  };
  expect(typeFor("16")).toEqual([fake.arm]);
  expect(typeFor("5")).toEqual([fake.arm]);
  expect(typeFor("2")).toEqual([fake.small]);
  expect(typeFor("17")).toEqual([]);
});

conforms("sched.well-known | NodePool requirement Lte n | type with value ≤ n (n itself allowed)", () => {
  const typeFor = (most: string) => {
    const requirements = [{ key: cpus, operator: "Lte" as const, values: [most] }];
    return solve({ pods: podWith({}), pools: [nodePool("default", { requirements })] }).nodes.map(({ type }) => type);
  };
  expect(typeFor("2")).toEqual([fake.small]);
  expect(typeFor("1")).toEqual([]);
});

conforms("sched.well-known | In with only unknown values | not scheduled", () => {
  expectNone({ pods: requiring([label.zone, "In", "unknown", "nowhere"]) }, /topology\.kubernetes\.io\/zone/);
});

conforms("sched.well-known | NotIn {z1,z2,unknown} | z3", () => {
  expect(zonesOf({ pods: requiring([label.zone, "NotIn", "a", "b", "unknown"]) })).toEqual(["c"]);
});

conforms("sched.well-known | NotIn every zone | not scheduled", () => {
  expectNone({ pods: requiring([label.zone, "NotIn", "a", "b", "c"]) }, /topology\.kubernetes\.io\/zone/);
});

conforms("sched.well-known | required In {z1..z3}, preferred In subset | preferred zone honoured", () => {
  expect(
    zonesOf({ pods: preferring([[label.zone, "In", "a", "b", "c"]], [label.zone, "In", "b", "unknown"]) }),
  ).toEqual(["b"]);
});

conforms("sched.well-known | preferred In unknown, required In known | preference relaxed, scheduled", () => {
  const { nodes, unscheduled } = solve({ pods: preferring([[label.zone, "In", "b"]], [label.zone, "In", "unknown"]) });
  expect(nodes.map(({ zone }) => zone)).toEqual(["b"]);
  expect(unscheduled).toEqual([]);
});

conforms("sched.well-known | required In, preferred NotIn some | lands outside the NotIn set", () => {
  expect(zonesOf({ pods: preferring([[label.zone, "In", "a", "b"]], [label.zone, "NotIn", "a"]) })).toEqual(["b"]);
});

conforms("sched.well-known | preferred NotIn all zones | preference relaxed, scheduled", () => {
  const { nodes, unscheduled } = solve({ pods: preferring([], [label.zone, "NotIn", "a", "b", "c"]) });
  expect(nodes).toHaveLength(1);
  expect(unscheduled).toEqual([]);
});

conforms("sched.well-known | selectors across zone and instance type dimensions combined | both satisfied", () => {
  const both = (zone: string, type: string) => {
    const pods = podWith({ nodeSelector: { [label.zone]: zone }, ...nodeTerms([[label.instanceType, "In", type]]) });
    return solve({ pods }).nodes.map((node) => [node.zone, node.type]);
  };
  expect(both("b", fake.standard)).toEqual([["b", fake.standard]]);
  expect(both("c", fake.arm)).toEqual([["c", fake.arm]]);
  expectNone({ pods: requiring([label.zone, "In", "unknown"], [label.instanceType, "In", fake.small]) }, /zone/);
});

conforms("sched.validation | selector on a restricted label | pod ignored", () => {
  for (const key of ["karpenter.sh/unheard-of", "karpenter.k8s.aws/unheard-of", label.hostname]) {
    expectNone({ pods: selecting({ [key]: "x" }) }, new RegExp(key));
  }
});

conforms("sched.validation | selector with a subdomain of kubernetes.io defined on the pool | scheduled", () => {
  const key = "subdomain.kubernetes.io/test";
  const { nodes } = solve({
    pods: selecting({ [key]: "yes" }),
    pools: [nodePool("default", { requirements: [oneOf(key, "yes")] })],
  });
  expect(nodes.map(({ labels }) => labels[key])).toEqual(["yes"]);
});
