import { describe, expect, it } from "vitest";
import { nodePoolManifest, problemsOf } from "../../support/api-manifests.ts";

const requirement = (entry: object) => problemsOf(nodePoolManifest(["spec.template.spec.requirements", [entry]]));

function expectProblem(entry: object, expected: string): void {
  const found = requirement(entry);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain("spec.template.spec.requirements[0].");
  expect(found[0]).toContain(expected);
}

describe("a NodePool's requirement", () => {
  it.each([
    { key: "team", operator: "In", values: ["a"] },
    { key: "team", operator: "NotIn", values: ["a"] },
    { key: "team", operator: "Exists" },
    { key: "team", operator: "DoesNotExist" },
    ...["Gt", "Lt", "Gte", "Lte"].map((operator) => ({ key: "team", operator, values: ["1"] })),
    { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
    { key: "sub.kubernetes.io/x", operator: "In", values: ["a"] },
    { key: "beta.kubernetes.io/arch", operator: "In", values: ["amd64"] },
    { key: "karpenter.k8s.aws/instance-family", operator: "In", values: ["m5", "m6i"], minValues: 2 },
    { key: "team", operator: "In", values: Array.from({ length: 60 }, (_, index) => `v${index}`) },
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "later-invention"] },
  ])("may be %j", (entry) => {
    expect(requirement(entry)).toEqual([]);
  });

  it.each([
    ["a b", "expected a label key"],
    ["x".repeat(64), "expected a label key"],
    ["karpenter.sh/nodepool", "other than the NodePool's own label"],
    ["karpenter.sh/registered", "outside the reserved domain karpenter.sh"],
    ["kubernetes.io/hostname", "which names one node"],
    ["karpenter.k8s.aws/instance-sise", "did you mean karpenter.k8s.aws/instance-size?"],
  ])("may not have the key %s", (key, expected) => {
    expectProblem({ key, operator: "Exists" }, expected);
  });

  it.each(["Gt", "Lt", "Gte", "Lte"])("has exactly one integer of 0 or more with %s", (operator) => {
    for (const values of [[], ["1", "2"], ["-1"], ["a"], ["1.5"]]) {
      expectProblem({ key: "team", operator, values }, `one integer of 0 or more, as ${operator} compares with`);
    }
  });

  it("has a known operator", () => {
    expectProblem({ key: "team", operator: "in", values: ["a"] }, 'did you mean "In"?');
  });

  it("has values with In, of label syntax, as strings", () => {
    expectProblem({ key: "team", operator: "In", values: [] }, "at least one value");
    expectProblem({ key: "team", operator: "In", values: ["a b"] }, 'values[0]: found "a b", expected a label value');
    expectProblem({ key: "team", operator: "In", values: [2] }, "found 2, expected a string: put it in quotes");
  });

  it.each([
    [0, "at least 1"],
    [-1, "at least 1"],
    [3, "at most the number of usable values, 2"],
  ])("may not ask for %i values of two", (minValues, expected) => {
    expectProblem({ key: "team", operator: "In", values: ["a", "b", "b"], minValues }, expected);
  });

  it("asks for at most 50 values", () => {
    expectProblem({ key: "team", operator: "Exists", minValues: 51 }, "expected at most 50");
  });

  it("names at least one capacity type that exists, and counts only those towards minValues", () => {
    const key = "karpenter.sh/capacity-type";
    expectProblem({ key, operator: "In", values: ["ondemand"] }, "at least one of spot, on-demand, reserved");
    expectProblem({ key, operator: "In", values: ["spot", "x"], minValues: 2 }, "usable values, 1");
  });

  it("is one of at most 100", () => {
    const many = Array.from({ length: 101 }, () => ({ key: "team", operator: "Exists" }));
    const found = problemsOf(nodePoolManifest(["spec.template.spec.requirements", many]));
    expect(found[0]).toContain("expected at most 100 entries");
  });
});

describe("a NodeClaim's requirement", () => {
  const nodeClaim = (requirements: readonly object[]) => ({
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name: "c" },
    spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" }, requirements },
  });

  it("may name the NodePool, but nothing else that is Karpenter's own", () => {
    expect(problemsOf(nodeClaim([{ key: "karpenter.sh/nodepool", operator: "In", values: ["a"] }]))).toEqual([]);
    expect(problemsOf(nodeClaim([{ key: "karpenter.sh/registered", operator: "Exists" }]))[0]).toContain(
      'spec.requirements[0].key: found "karpenter.sh/registered"',
    );
  });
});
