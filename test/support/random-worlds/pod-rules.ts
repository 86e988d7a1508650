import fc from "fast-check";
import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { awayFrom, near, nodeTerms, preferring, spread } from "../pods.ts";

/** What a workload of an app asks beyond its requests. */
export type PodRule = fc.Arbitrary<(own: string) => Partial<PodSpec>>;

export const app = fc.constantFrom("red", "green", "blue");
/** Labels of nodes that no NodePool need have. */
export const custom = "team";

const spreadKey = fc.constantFrom(label.zone, label.zone, label.hostname, label.hostname, label.capacityType, custom);
const affinityKey = fc.constantFrom(label.zone, label.hostname, label.hostname, label.capacityType);

const spreadChanges: fc.Arbitrary<Partial<TopologySpreadConstraint>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 2 }).map((maxSkew): Partial<TopologySpreadConstraint> => ({ maxSkew })),
  },
  fc.integer({ min: 2, max: 4 }).map((minDomains): Partial<TopologySpreadConstraint> => ({ minDomains })),
  fc.constantFrom<Partial<TopologySpreadConstraint>>({ nodeAffinityPolicy: "Ignore" }, { nodeTaintsPolicy: "Honor" }),
  fc.constant<Partial<TopologySpreadConstraint>>({ matchLabelKeys: ["revision"] }),
);

const termChanges: fc.Arbitrary<Partial<PodAffinityTerm>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom<Partial<PodAffinityTerm>>(
    { namespaces: ["other"] },
    { namespaceSelector: { matchLabels: { trust: "high" } } },
  ),
  fc.constant({ namespaceSelector: {} }),
  fc.constantFrom<Partial<PodAffinityTerm>>({ matchLabelKeys: ["revision"] }, { mismatchLabelKeys: ["revision"] }),
);

/** Hard topology rules, about the own app or another. */
export const topologyRule: PodRule = fc.oneof(
  fc.tuple(spreadKey, spreadChanges).map(
    ([key, changes]) =>
      (own: string) =>
        spread(key, own, changes),
  ),
  fc.tuple(affinityKey, termChanges, fc.option(app)).map(
    ([key, changes, other]) =>
      (own: string) =>
        awayFrom(other ?? own, key, changes),
  ),
  fc.tuple(affinityKey, termChanges, fc.option(app)).map(
    ([key, changes, other]) =>
      (own: string) =>
        near(other ?? own, key, changes),
  ),
);

/** Node selectors and required node affinity. */
export const nodeRule: PodRule = fc
  .oneof(
    fc.constantFrom("a", "b", "d").map((zone) => ({ nodeSelector: { [label.zone]: zone } })),
    fc.constantFrom("x", "y").map((team) => ({ nodeSelector: { [custom]: team } })),
    fc.constantFrom<Partial<PodSpec>>(
      { nodeSelector: { [label.arch]: "arm64" } },
      { nodeSelector: { "beta.kubernetes.io/arch": "amd64" } },
      nodeTerms([[label.zone, "In", "d"]], [[label.zone, "NotIn", "a"]]),
      nodeTerms([[custom, "DoesNotExist"]], [[custom, "In", "x"]]),
      nodeTerms([["karpenter.k8s.aws/instance-cpu", "Gt", "3"]]),
      nodeTerms([[label.capacityType, "In", "spot"]], [[label.capacityType, "In", "on-demand"]]),
    ),
  )
  .map((spec) => () => spec);

/** Rules that need not be kept. */
export const preference: PodRule = fc.oneof(
  spreadKey.map((key) => (own: string) => spread(key, own, { whenUnsatisfiable: "ScheduleAnyway" })),
  affinityKey.map((key) => (own: string) => preferring(awayFrom(own, key))),
  fc.tuple(affinityKey, app).map(
    ([key, other]) =>
      () =>
        preferring(near(other, key)),
  ),
  fc.constantFrom("a", "c", "d").map((zone) => () => preferredZone(zone)),
);

export const hostPort: PodRule = fc
  .record({
    hostPort: fc.constantFrom(80, 81),
    hostIP: fc.constantFrom(undefined, "0.0.0.0", "10.0.0.1", "10.0.0.2"),
    protocol: fc.constantFrom("TCP", "UDP"),
  })
  .map(({ hostIP, ...port }) => () => ({
    containers: [
      { ports: [{ ...port, ...(hostIP !== undefined && { hostIP }) }], resources: { requests: { cpu: "500m" } } },
    ],
  }));

/** Sidecars, init containers, requests of the pod as a whole, overhead. */
export const odd: PodRule = fc
  .constantFrom<Partial<PodSpec>>(
    { initContainers: [{ restartPolicy: "Always", resources: { requests: { cpu: "500m" } } }] },
    { initContainers: [{ resources: { requests: { cpu: "2" }, limits: { memory: "6Gi" } } }] },
    { overhead: { cpu: "250m", memory: "64Mi" } },
    { resources: { requests: { cpu: "2500m" } } },
    { priority: 100 },
    { tolerations: [{ operator: "Exists" }] },
  )
  .map((spec) => () => spec);

function preferredZone(zone: string): Partial<PodSpec> {
  const preference = { matchExpressions: [{ key: label.zone, operator: "In" as const, values: [zone] }] };
  return {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
  };
}

/** Both rules at once; of two spreads over one key the first, as the API server allows no more. */
export function mergedSpecs(first: Partial<PodSpec>, second: Partial<PodSpec>): Partial<PodSpec> {
  const spreads = [...(first.topologySpreadConstraints ?? []), ...(second.topologySpreadConstraints ?? [])];
  const seen = new Set<string>();
  return {
    ...first,
    ...second,
    affinity: { ...first.affinity, ...second.affinity },
    nodeSelector: { ...first.nodeSelector, ...second.nodeSelector },
    volumes: [...(first.volumes ?? []), ...(second.volumes ?? [])],
    topologySpreadConstraints: spreads.filter(({ topologyKey, whenUnsatisfiable }) => {
      const name = `${topologyKey} ${whenUnsatisfiable}`;
      return !seen.has(name) && seen.add(name);
    }),
  };
}
