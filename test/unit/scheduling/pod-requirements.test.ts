import { describe, expect, it } from "vitest";
import type { NodeSelectorTerm, PodSpec } from "../../../shared/api/core.ts";
import { wellKnownLabels } from "../../../shared/api/labels.ts";
import { nodeAlternatives } from "../../../shared/scheduling/pod-requirements.ts";
import { firstIncompatibility, requirementEntries } from "../../../shared/scheduling/requirements.ts";

function podWith(terms: NodeSelectorTerm[], nodeSelector: Record<string, string> = {}): PodSpec {
  const required = { nodeSelectorTerms: terms };
  return {
    containers: [],
    nodeSelector,
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  };
}

const inZone = (zone: string): NodeSelectorTerm => ({
  matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }],
});

describe("nodeAlternatives", () => {
  it("is one alternative without constraints for a pod without any", () => {
    expect(nodeAlternatives({ containers: [] }).map(requirementEntries)).toEqual([[]]);
  });

  it("repeats the selector in each term, in the order written", () => {
    expect(nodeAlternatives(podWith([inZone("b"), inZone("a")], { team: "x" })).map(requirementEntries)).toEqual(
      ["b", "a"].map((zone) => [
        { key: "team", operator: "In", values: ["x"] },
        { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
      ]),
    );
  });

  it("leaves out empty terms, which match no node in Kubernetes", () => {
    expect(nodeAlternatives(podWith([{}, inZone("a")]))).toHaveLength(1);
  });

  it("gives a pod whose terms are all empty no node at all", () => {
    const [alternative = new Map()] = nodeAlternatives(podWith([{}]));
    expect(firstIncompatibility(new Map(), alternative, wellKnownLabels)).toBeDefined();
  });

  it("refuses a pod whose selector names an old and a new spelling with different values", () => {
    const nodeSelector = { "beta.kubernetes.io/arch": "arm64", "kubernetes.io/arch": "amd64" };
    const [alternative = new Map()] = nodeAlternatives({ containers: [], nodeSelector });
    expect(firstIncompatibility(new Map(), alternative, wellKnownLabels)?.key).toBe("kubernetes.io/arch");
  });

  it("reads the node's name as its hostname label", () => {
    const term: NodeSelectorTerm = { matchFields: [{ key: "metadata.name", operator: "In", values: ["ip-1"] }] };
    expect(nodeAlternatives(podWith([term])).flatMap(requirementEntries)).toEqual([
      { key: "kubernetes.io/hostname", operator: "In", values: ["ip-1"] },
    ]);
  });
});
