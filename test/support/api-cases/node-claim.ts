import { nodeClaimManifest } from "../api-manifests.ts";
import { type ApiRows, accepted, atRuntime, rejected, updated } from "./api-case.ts";

const effect = "NoSchedule";
const reference = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
const claim = (fields: object) =>
  nodeClaimManifest(...Object.entries(fields).map(([field, value]) => [`spec.${field}`, value] as const));
const of = (key: string, operator = "In", values: readonly string[] = ["test"]) => ({ key, operator, values });
const many = (count: number) => Array.from({ length: count }, (_, index) => of(`key-${index}`));
const durations = ["30s", "10m", "1h30m5s"];

/** Fields of a spec, each good by itself. */
const good: readonly object[] = [
  {
    taints: [
      { key: "a", value: "b", effect },
      { key: "key-only", effect: "NoExecute" },
    ],
  },
  {
    taints: [
      { key: "a", effect },
      { key: "a", effect: "NoExecute" },
    ],
  },
  { startupTaints: [{ key: "a", value: "b", effect: "PreferNoSchedule" }] },
  { requirements: [] },
  { requirements: [of("team"), of("example.com/team"), of("kubernetes.io/team"), of("sub.k8s.io/team")] },
  { requirements: [of("karpenter.sh/nodepool"), of("topology.kubernetes.io/zone"), of("kops.k8s.io/gpu")] },
  {
    requirements: [
      of("karpenter.sh/capacity-type", "In", ["spot"]),
      of("a", "Exists", []),
      of("b", "DoesNotExist", []),
    ],
  },
  { requirements: ["NotIn", "Gt", "Lt", "Gte", "Lte"].map((operator) => of("a", operator, ["1"])) },
  { requirements: [of("a", "In", ["x", "y"]), of("a", "NotIn", ["x"])] },
  { requirements: many(100) },
  ...durations.flatMap((text) => [{ terminationGracePeriod: text }, { expireAfter: text }]),
  { expireAfter: "Never" },
];

const badKeys = ["test.com.com}", "Test.com.com/test", "a/b/c", "test.com.com/"];
const reservedKeys = [
  "karpenter.sh/unknown",
  "sub.karpenter.sh/unknown",
  "karpenter.k8s.aws/unknown",
  "kubernetes.io/hostname",
];

/** Fields of a spec with the place of what is wrong. */
const bad: readonly (readonly [place: string, fields: object])[] = [
  ["spec.taints[0].key", { taints: [{ key: "test.com.com}", effect }] }],
  ["spec.taints[0].key", { taints: [{ key: "Test.com.com/test", effect }] }],
  ["spec.taints[0].key", { taints: [{ effect }] }],
  ["spec.taints[0].value", { taints: [{ key: "a", value: "???", effect }] }],
  ["spec.taints[0].effect", { taints: [{ key: "a", effect: "???" }] }],
  ["spec.startupTaints[0].key", { taints: [{ key: "a", effect }], startupTaints: [{ key: "b }", effect }] }],
  ["spec.nodeClassRef.group", { nodeClassRef: { ...reference, group: "karpenter.k8s.aws/v1" } }],
  ["spec.nodeClassRef.group", { nodeClassRef: { ...reference, group: "" } }],
  ["spec.nodeClassRef.kind", { nodeClassRef: { ...reference, kind: "" } }],
  ["spec.nodeClassRef.name", { nodeClassRef: { ...reference, name: "" } }],
  ...[...badKeys, ...reservedKeys].map((key) => ["spec.requirements[0].key", { requirements: [of(key)] }] as const),
  ["spec.requirements[0].operator", { requirements: [of("a", "unknown")] }],
  ["spec.requirements[0].values", { requirements: [of("a", "In", [])] }],
  ...["Gt", "Lt", "Gte", "Lte"].map(
    (operator) => ["spec.requirements[0].values", { requirements: [of("a", operator, ["-1"])] }] as const,
  ),
  ...[-1, 0, 51, 2].map(
    (minValues) => ["spec.requirements[0].minValues", { requirements: [{ ...of("a"), minValues }] }] as const,
  ),
  ["spec.requirements: found 101 entries", { requirements: many(101) }],
  ...["-1s", "1d", "Never", "1hx"].map(
    (text) => ["spec.terminationGracePeriod", { terminationGracePeriod: text }] as const,
  ),
  ...["-1s", "1d", "1hx"].map((text) => ["spec.expireAfter", { expireAfter: text }] as const),
];

/** What the CRD does not see. */
const late: typeof bad = [
  ["spec.taints[0].key", { taints: [{ key: "a".repeat(64), effect }] }],
  ["spec.startupTaints[0]", { taints: [{ key: "a", effect }], startupTaints: [{ key: "a", effect }] }],
  ["spec.requirements[0].key", { requirements: [of("a".repeat(64))] }],
  ["spec.requirements[0].values", { requirements: [of("karpenter.sh/capacity-type", "In", ["xspot"])] }],
];

export const nodeClaimRows: ApiRows = {
  "nc.* | taints, ref group, requirements (incl. >100 entries), TGP, expireAfter (x41) | same rules as NodePool; nodepool key allowed":
    [
      ...good.map((fields) => accepted(claim(fields))),
      ...bad.map(([place, fields]) => rejected(place, claim(fields))),
      ...late.map(([place, fields]) => atRuntime(place, claim(fields))),
    ],
};

/** What only an API server shows. */
export const nodeClaimServerRows: ApiRows = {
  "a NodeClaim's spec cannot be changed, and has an age at which it expires": [
    accepted(claim({}), [[["spec", "expireAfter"], "720h"]]),
    updated(claim({}), { expireAfter: "1h" }, "spec"),
    updated(claim({}), { taints: [{ key: "a", effect }] }, "spec"),
  ],
};
