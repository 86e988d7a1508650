import { describe, expect, it } from "vitest";
import type { PodAffinityTerm } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { TopologyGroups, TopologyRules } from "../../../shared/provisioning/topology-group.ts";
import { TopologyIndex } from "../../../shared/provisioning/topology-index.ts";
import { PodDecoder } from "../../../shared/state/pod-decoding.ts";
import { pendingPod } from "../../support/pods.ts";

const decoder = new PodDecoder();
type Labels = Readonly<Record<string, string>>;

function constraintsOf(name: string, labels: Labels, selector?: PodAffinityTerm["labelSelector"]) {
  const terms = selector && [{ topologyKey: label.hostname, labelSelector: selector }];
  const spec = terms && { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } };
  return decoder.decode(pendingPod(name, { labels, ...(spec && { spec }) })).constraints;
}

const selectors: readonly PodAffinityTerm["labelSelector"][] = [
  { matchLabels: { app: "web" } },
  { matchLabels: { tier: "front", app: "web" } },
  { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] },
  { matchExpressions: [{ key: "app", operator: "In", values: ["web", "db"] }] },
  { matchExpressions: [{ key: "tier", operator: "NotIn", values: ["front"] }] },
  { matchExpressions: [{ key: "app", operator: "Exists" }] },
  { matchLabels: { app: "db" }, matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] },
  {},
];

describe("the index of topology groups", () => {
  it("finds the groups that count a pod, in the order of all groups", () => {
    const groups = new TopologyGroups(new TopologyRules(new Map()));
    for (const [index, selector] of selectors.entries()) {
      groups.ownedBy(constraintsOf(`owner-${index}`, {}, selector));
    }
    const all = groups.all();
    expect(all).toHaveLength(selectors.length);
    const index = new TopologyIndex(all);
    const pods: readonly Labels[] = [
      {},
      { app: "web" },
      { app: "db" },
      { app: "web", tier: "front" },
      { tier: "back" },
    ];
    for (const labels of pods) {
      const pod = constraintsOf("pod", labels);
      expect(index.matching(pod)).toEqual(all.filter((group) => group.matches(pod)));
    }
    expect(index.matching(constraintsOf("pod", { app: "db" })).map((group) => index.numberOf(group))).toEqual([
      3, 4, 5, 6, 7,
    ]);
  });
});
