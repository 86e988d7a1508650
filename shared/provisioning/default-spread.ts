import type { TopologySpreadConstraint } from "../api/core.ts";
import type { LabelSelector } from "../api/schema.ts";
import { shortHash } from "../api/short-hash.ts";
import { stableJson } from "../api/stable-json.ts";
import { matchesSelector } from "../scheduling/label-selectors.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import type { SelectorSources, Snapshot } from "../state/snapshot.ts";

/**
 * The pods with the cluster's default spread constraints on those that state none, as kube-scheduler has them (PodTopologySpread,
 * `defaultConstraints`): each workload's pods select one another. Records of one workload share their constraints; their `classKey`
 * stays, since nominations are known by it.
 */
export function withDefaultSpread(pods: readonly PodRecord[], snapshot: Snapshot): readonly PodRecord[] {
  const { defaultTopologySpread = [] } = snapshot.settings;
  const { selectorSources } = snapshot;
  if (defaultTopologySpread.length === 0 || selectorSources === undefined) return pods;
  const selectors = new SelectorFinder(selectorSources);
  const known = new Map<string, PodConstraints>();
  return pods.map((pod) => {
    if (pod.constraints.topologySpread.length > 0) return pod;
    const labelSelector = selectors.selectorOf(pod);
    if (labelSelector === undefined) return pod;
    const schedulingKey = shortHash(stableJson([pod.schedulingKey, labelSelector]), 16);
    const spread = () => defaultTopologySpread.map((constraint) => ({ ...constraint, labelSelector }));
    const constraints = known.get(schedulingKey) ?? spreading(pod.constraints, spread());
    known.set(schedulingKey, constraints);
    return { ...pod, schedulingKey, constraints };
  });
}

function spreading(constraints: PodConstraints, topologySpread: readonly TopologySpreadConstraint[]): PodConstraints {
  return { ...constraints, topologySpread };
}

type Labels = Readonly<Record<string, string>>;
type SelectorOwner = SelectorSources["owners"][number];

/** Finds the selectors of pods' workloads; objects are looked up by namespace. */
class SelectorFinder {
  readonly #services: ReadonlyMap<string, readonly Labels[]>;
  readonly #owners: ReadonlyMap<string, SelectorOwner>;
  readonly #known = new Map<string, LabelSelector | undefined>();

  constructor({ services, owners }: SelectorSources) {
    const selecting = services.flatMap(({ metadata, spec }) =>
      spec?.selector == null ? [] : [{ namespace: namespaceOf(metadata), selector: spec.selector }],
    );
    this.#services = new Map(
      [...Map.groupBy(selecting, ({ namespace }) => namespace)].map(([namespace, entries]) => [
        namespace,
        entries.map(({ selector }) => selector),
      ]),
    );
    this.#owners = new Map(
      owners.map((owner) => [ownerKey(owner, namespaceOf(owner.metadata), owner.metadata.name), owner]),
    );
  }

  /** Undefined where nothing selects the pod. */
  selectorOf(pod: PodRecord): LabelSelector | undefined {
    const owner = pod.owner?.controller ? ownerKey(pod.owner, pod.namespace, pod.owner.name) : "";
    const key = `${pod.schedulingKey} ${owner}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#find(pod, this.#owners.get(owner)));
    return this.#known.get(key);
  }

  /**
   * The selectors of all Services that select the pod, merged; a ReplicationController's on top, since both know equality alone; a
   * ReplicaSet's or StatefulSet's beside it, so that what contradicts selects nothing (kube-scheduler's `DefaultSelector`).
   */
  #find({ namespace, constraints }: PodRecord, owner: SelectorOwner | undefined): LabelSelector | undefined {
    const services = this.#services.get(namespace) ?? [];
    const selecting = services.filter((matchLabels) => matchesSelector({ matchLabels }, constraints.labels));
    const ofServices: Labels = Object.assign({}, ...selecting);
    if (owner?.kind === "ReplicationController") {
      return unlessEmpty({ matchLabels: { ...ofServices, ...owner.spec.selector } });
    }
    return unlessEmpty(both(ofServices, owner?.spec.selector ?? {}));
  }
}

/** A selector of what satisfies both. */
function both(labels: Labels, { matchLabels = {}, matchExpressions = [] }: LabelSelector): LabelSelector {
  const contradicting = Object.entries(matchLabels).filter(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] !== value,
  );
  const expressions = [
    ...matchExpressions,
    ...contradicting.map(([key, value]) => ({ key, operator: "In" as const, values: [value] })),
  ];
  return {
    matchLabels: { ...matchLabels, ...labels },
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  };
}

function unlessEmpty(selector: LabelSelector): LabelSelector | undefined {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0 ? undefined : selector;
}

function ownerKey(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  namespace: string,
  name: string,
) {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}

function namespaceOf({ namespace = "default" }: { readonly namespace?: string }): string {
  return namespace;
}
