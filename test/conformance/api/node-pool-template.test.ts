import { expect } from "vitest";
import { type Change, nodePoolManifest, problemsOf } from "../../support/api-manifests.ts";
import { conforms } from "../../support/conformance.ts";

const template = "spec.template.spec";
const problems = (...changes: readonly Change[]) => problemsOf(nodePoolManifest(...changes));
const taints = (...entries: readonly object[]) => problems([`${template}.taints`, entries]);
const requirements = (...entries: readonly object[]) => problems([`${template}.requirements`, entries]);
const labels = (key: string, value = "test") => problems([["spec", "template", "metadata", "labels", key], value]);
const tooLong = `${"a".repeat(64)}`;

function expectRefused(found: readonly string[], place: string, title = place): void {
  expect(found.length, title).toBeGreaterThan(0);
  for (const problem of found) expect(problem, title).toContain(place);
}

conforms(
  "np.taints | valid; bad key; too long (runtime); missing key; bad value; bad effect; same key different effect (x7) | only first and last accepted",
  () => {
    const effect = "NoSchedule";
    expect(
      taints(
        { key: "a", value: "b", effect: "NoSchedule" },
        { key: "c", value: "d", effect: "NoExecute" },
        { key: "e", value: "f", effect: "PreferNoSchedule" },
        { key: "key-only", effect: "NoExecute" },
      ),
    ).toEqual([]);
    expectRefused(taints({ key: "test.com.com}", effect }), "taints[0].key");
    expectRefused(taints({ key: "Test.com.com/test", effect }), "taints[0].key");
    expectRefused(taints({ key: "test/test/test", effect }), "taints[0].key");
    expectRefused(taints({ key: tooLong, effect }), "taints[0].key");
    expectRefused(taints({ effect }), "taints[0].key");
    expectRefused(taints({ key: "invalid-value", value: "???", effect }), "taints[0].value");
    expectRefused(taints({ key: "invalid-effect", effect: "???" }), "taints[0].effect");
    expect(taints({ key: "a", effect: "NoSchedule" }, { key: "a", effect: "NoExecute" })).toEqual([]);
    expectRefused(taints({ key: "a", effect }, { key: "a", value: "b", effect }), "taints[1]");
  },
);

conforms(
  "np.req | valid keys; every operator; kubernetes.io domain and subdomain; well-known exceptions; set still non-empty after overlap; empty list (x7) | accepted",
  () => {
    const of = (key: string) => ({ key, operator: "In", values: ["test"] });
    expect(requirements(of("team"), of("example.com/team"))).toEqual([]);
    const values = ["1"];
    expect(requirements({ key: "a", operator: "Exists" }, { key: "b", operator: "DoesNotExist" })).toEqual([]);
    for (const operator of ["In", "NotIn", "Gt", "Lt", "Gte", "Lte"]) {
      expect(requirements({ key: "a", operator, values }), operator).toEqual([]);
    }
    expect(requirements(of("kubernetes.io/test"), of("k8s.io/test"))).toEqual([]);
    expect(requirements(of("node.kubernetes.io/test"), of("sub.k8s.io/test"))).toEqual([]);
    expect(
      requirements(
        { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
        of("topology.kubernetes.io/zone"),
        of("node.kubernetes.io/instance-type"),
        of("kubernetes.io/arch"),
        of("kubernetes.io/os"),
        of("karpenter.k8s.aws/instance-family"),
      ),
    ).toEqual([]);
    expect(
      requirements({ key: "a", operator: "In", values: ["x", "y"] }, { key: "a", operator: "NotIn", values: ["x"] }),
    ).toEqual([]);
    expect(requirements()).toEqual([]);
  },
);

conforms(
  "np.req | malformed key; too long (runtime); nodepool key; unknown operator; restricted domain; hostname (x6) | rejected",
  () => {
    const keys = [
      ...["test.com.com}", "Test.com.com/test", "test.com.com/test/test", "test.com.com/", tooLong],
      ...[`${"a".repeat(254)}/x`, "karpenter.sh/nodepool", "karpenter.sh/unknown", "sub.karpenter.sh/unknown"],
      "kubernetes.io/hostname",
    ];
    for (const key of keys) {
      expectRefused(requirements({ key, operator: "In", values: ["test"] }), "requirements[0].key", key);
    }
    for (const operator of ["unknown", "in", ""]) {
      expectRefused(requirements({ key: "a", operator, values: ["test"] }), "requirements[0].operator", operator);
    }
  },
);

conforms(
  "np.req | bad Gt/Lt/Gte/Lte values; minValues <0, 0, >50, > values for In (x6) | rejected; >50 values without minValues accepted",
  () => {
    for (const operator of ["Gt", "Lt", "Gte", "Lte"]) {
      for (const values of [[], ["1", "2"], ["a"], ["-1"], ["1.5"]]) {
        expectRefused(requirements({ key: "a", operator, values }), "requirements[0].values", `${operator} ${values}`);
      }
    }
    for (const minValues of [-1, 0, 51, 3]) {
      const entry = { key: "a", operator: "In", values: ["x", "y"], minValues };
      expectRefused(requirements(entry), "requirements[0].minValues", String(minValues));
    }
    const many = Array.from({ length: 60 }, (_, index) => `v${index}`);
    expect(requirements({ key: "a", operator: "In", values: many })).toEqual([]);
    expect(requirements({ key: "a", operator: "In", values: many, minValues: 50 })).toEqual([]);
  },
);

conforms("np.labels | unknown key; kOps keys; kubernetes.io domain, prefix, subdomain keys (x6) | accepted", () => {
  const keys = [
    ...["team", "example.com/team", "kops.k8s.io/instancegroup", "kops.k8s.io/gpu"],
    ...["kubernetes.io/team", "k8s.io/team", "node-restriction.kubernetes.io/team", "sub.k8s.io/team"],
  ];
  for (const key of keys) expect(labels(key), key).toEqual([]);
});

conforms(
  "np.labels | karpenter.sh/nodepool; malformed key; too long (runtime); malformed value; restricted domain (x5) | rejected",
  () => {
    const keys = [
      ...["karpenter.sh/nodepool", "spaces are not allowed", "a/b/c", tooLong],
      ...["karpenter.sh/unknown", "sub.karpenter.sh/unknown", "kubernetes.io/hostname"],
    ];
    for (const key of keys) expectRefused(labels(key), "spec.template.metadata.labels", key);
    expectRefused(labels("team", "/ is not allowed"), "spec.template.metadata.labels.team");
    expectRefused(labels("team", tooLong), "spec.template.metadata.labels.team");
  },
);
