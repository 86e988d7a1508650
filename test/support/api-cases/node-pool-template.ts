import { type Change, nodePoolManifest } from "../api-manifests.ts";
import { type ApiCase, type ApiRows, accepted, atRuntime, rejected } from "./api-case.ts";

const template = "spec.template.spec";
const taints = (...entries: readonly object[]) => nodePoolManifest([`${template}.taints`, entries]);
const requirements = (...entries: readonly object[]) => nodePoolManifest([`${template}.requirements`, entries]);
const labels = (key: string, value = "test") => {
  const change: Change = [["spec", "template", "metadata", "labels", key], value];
  return nodePoolManifest(change);
};
const of = (key: string, operator = "In", values: readonly string[] = ["test"]) => ({ key, operator, values });
const tooLong = "a".repeat(64);
const effect = "NoSchedule";

const badKey = (key: string): ApiCase => rejected("requirements[0].key", requirements(of(key)));
const badLabel = (key: string): ApiCase => rejected("spec.template.metadata.labels", labels(key));
const many = Array.from({ length: 60 }, (_, index) => `v${index}`);

export const nodePoolTemplateRows: ApiRows = {
  "np.taints | valid; bad key; too long (runtime); missing key; bad value; bad effect; same key different effect (x7) | only first and last accepted":
    [
      accepted(
        taints(
          { key: "a", value: "b", effect: "NoSchedule" },
          { key: "c", value: "d", effect: "NoExecute" },
          { key: "e", value: "f", effect: "PreferNoSchedule" },
          { key: "key-only", effect: "NoExecute" },
        ),
      ),
      ...["test.com.com}", "Test.com.com/test", "test/test/test"].map((key) =>
        rejected("taints[0].key", taints({ key, effect })),
      ),
      atRuntime("taints[0].key", taints({ key: tooLong, effect })),
      rejected("taints[0].key", taints({ effect })),
      rejected("taints[0].value", taints({ key: "invalid-value", value: "???", effect })),
      rejected("taints[0].effect", taints({ key: "invalid-effect", effect: "???" })),
      accepted(taints({ key: "a", effect: "NoSchedule" }, { key: "a", effect: "NoExecute" })),
      atRuntime("taints[1]", taints({ key: "a", effect }, { key: "a", value: "b", effect })),
    ],
  "np.req | valid keys; every operator; kubernetes.io domain and subdomain; well-known exceptions; set still non-empty after overlap; empty list (x7) | accepted":
    [
      requirements(of("team"), of("example.com/team")),
      requirements({ key: "a", operator: "Exists" }, { key: "b", operator: "DoesNotExist" }),
      ...["In", "NotIn", "Gt", "Lt", "Gte", "Lte"].map((operator) => requirements(of("a", operator, ["1"]))),
      requirements(of("kubernetes.io/test"), of("k8s.io/test")),
      requirements(of("node.kubernetes.io/test"), of("sub.k8s.io/test")),
      requirements(
        of("karpenter.sh/capacity-type", "In", ["spot"]),
        of("topology.kubernetes.io/zone"),
        of("node.kubernetes.io/instance-type"),
        of("kubernetes.io/arch"),
        of("kubernetes.io/os"),
        of("karpenter.k8s.aws/instance-family"),
      ),
      requirements(of("a", "In", ["x", "y"]), of("a", "NotIn", ["x"])),
      requirements(),
    ].map((manifest) => accepted(manifest)),
  "np.req | malformed key; too long (runtime); nodepool key; unknown operator; restricted domain; hostname (x6) | rejected":
    [
      ...["test.com.com}", "Test.com.com/test", "test.com.com/test/test", "test.com.com/"].map(badKey),
      atRuntime("requirements[0].key", requirements(of(tooLong))),
      atRuntime("requirements[0].key", requirements(of(`${"a".repeat(254)}/x`))),
      badKey(`${"a".repeat(316)}/x`),
      ...["karpenter.sh/nodepool", "karpenter.sh/unknown", "sub.karpenter.sh/unknown", "kubernetes.io/hostname"].map(
        badKey,
      ),
      ...["karpenter.k8s.aws/unknown", "sub.karpenter.k8s.aws/unknown", "xkarpenter.sh/unknown"].map(badKey),
      ...["unknown", "in", ""].map((operator) => rejected("requirements[0].operator", requirements(of("a", operator)))),
    ],
  "np.req | bad Gt/Lt/Gte/Lte values; minValues <0, 0, >50, > values for In (x6) | rejected; >50 values without minValues accepted":
    [
      ...["Gt", "Lt", "Gte", "Lte"].flatMap((operator) =>
        [[], ["1", "2"], ["a"], ["-1"], ["1.5"]].map((values) =>
          rejected("requirements[0].values", requirements(of("a", operator, values))),
        ),
      ),
      rejected("requirements[0].values", requirements({ key: "a", operator: "Gt" })),
      rejected("requirements[0].values", requirements({ key: "a", operator: "In" })),
      rejected("requirements[0].values", requirements(of("a", "In", []))),
      ...[-1, 0, 51, 3].map((minValues) =>
        rejected("requirements[0].minValues", requirements({ ...of("a", "In", ["x", "y"]), minValues })),
      ),
      accepted(requirements(of("a", "In", many))),
      accepted(requirements({ ...of("a", "In", many), minValues: 50 })),
    ],
  "np.labels | unknown key; kOps keys; kubernetes.io domain, prefix, subdomain keys (x6) | accepted": [
    ...["team", "example.com/team", "kops.k8s.io/instancegroup", "kops.k8s.io/gpu"],
    ...["kubernetes.io/team", "k8s.io/team", "node-restriction.kubernetes.io/team", "sub.k8s.io/team"],
  ].map((key) => accepted(labels(key))),
  "np.labels | karpenter.sh/nodepool; malformed key; too long (runtime); malformed value; restricted domain (x5) | rejected":
    [
      ...["karpenter.sh/nodepool", "karpenter.sh/unknown", "sub.karpenter.sh/unknown", "kubernetes.io/hostname"].map(
        badLabel,
      ),
      badLabel("karpenter.k8s.aws/unknown"),
      // The CRD does not look at the form of a label's key.
      ...["spaces are not allowed", "a/b/c", tooLong].map((key) =>
        atRuntime("spec.template.metadata.labels", labels(key)),
      ),
      rejected("spec.template.metadata.labels.team", labels("team", "/ is not allowed")),
      rejected("spec.template.metadata.labels.team", labels("team", tooLong)),
    ],
};
