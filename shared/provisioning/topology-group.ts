import type { PodAffinityTerm, Toleration, TopologySpreadConstraint } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { LabelSelector } from "../api/schema.ts";
import { stableJson } from "../api/stable-json.ts";
import { describeSelector, isValidSelector, matchesSelector } from "../scheduling/label-selectors.ts";
import { firstIncompatibility, type Requirements, requirementsOfLabels } from "../scheduling/requirements.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { DomainCounts } from "./domain-counts.ts";
import { claimTrait, labelTrait } from "./topology-traits.ts";

/** One rule about how pods that match a selector may lie in the domains of a topology key, with the counts so far. */
export interface TopologyGroup {
  readonly kind: "spread" | "affinity" | "anti-affinity";
  readonly key: string;
  /** Only for spread. */
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Traits of a pod (see {@link traitsOf}) without any of which it is not counted. */
  readonly required: readonly string[];
  /** Whether a pod of these constraints is counted. */
  readonly matches: (pod: PodConstraints) => boolean;
  /** Whether a node's pods are counted, and its domain with them (spread alone; karpenter-core §5). */
  readonly countsNode: (node: ClusterNode) => boolean;
  /** Spread alone: which of the nodes that could be made give domains, by the same policies. */
  readonly eligibility: Eligibility;
  /** Matching pods by domain. */
  readonly counts: DomainCounts;
  /** Anti-affinity: pods that own the term, by domain; a matching pod may not join them. */
  readonly owners: DomainCounts;
  readonly description: string;
}

/** What a spread constraint's policies ask of a node. Absent means that they do not look. */
export interface Eligibility {
  /** nodeAffinityPolicy Honor: the pod's own node requirements. */
  readonly nodeAlternatives?: readonly Requirements[];
  /** nodeTaintsPolicy Honor: the pod's tolerations. */
  readonly tolerations?: readonly Toleration[];
  /** Equal for equal requirements. */
  readonly key: string;
}

export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Groups by identity: equal rules are one group, whoever owns them. */
export class TopologyGroups {
  readonly #groups = new Map<string, TopologyGroup>();
  readonly #rules: TopologyRules;

  constructor(rules: TopologyRules) {
    this.#rules = rules;
  }

  all(): readonly TopologyGroup[] {
    return [...this.#groups.values()];
  }

  /** The groups that a pod's own required constraints make; created on first sight. */
  ownedBy(pod: PodConstraints): readonly TopologyGroup[] {
    return this.#rules.ownedBy(pod).map((rule) => this.#group(rule));
  }

  /** The part of {@link ownedBy} that binds others, whether the owner is being planned or runs already. */
  antiAffinityOf(pod: PodConstraints): readonly TopologyGroup[] {
    return this.#rules.antiAffinityOf(pod).map((rule) => this.#group(rule));
  }

  #group({ identity, ...rule }: TopologyRule): TopologyGroup {
    const known = this.#groups.get(identity);
    if (known !== undefined) return known;
    const group = { ...rule, counts: new DomainCounts(), owners: new DomainCounts() };
    this.#groups.set(identity, group);
    return group;
  }
}

/** A group without its counts. */
interface TopologyRule extends Omit<TopologyGroup, "counts" | "owners"> {
  readonly identity: string;
}

/** Reads the rules out of pods' constraints, once for each object of them. */
export class TopologyRules {
  readonly #namespaces: NamespaceLabels;
  readonly #owned = new Map<PodConstraints, readonly TopologyRule[]>();
  readonly #antiAffinity = new Map<PodConstraints, readonly TopologyRule[]>();
  readonly #rules = new Map<string, TopologyRule>();

  constructor(namespaces: NamespaceLabels) {
    this.#namespaces = namespaces;
  }

  ownedBy(pod: PodConstraints): readonly TopologyRule[] {
    const known = this.#owned.get(pod) ?? [
      ...pod.topologySpread
        .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
        .map((constraint) => this.#spread(pod, constraint)),
      ...pod.podAffinity.map((term) => this.#affinity("affinity", pod, term, pod.podAffinity)),
      ...pod.preferredAffinity.map((term) => this.#affinity("affinity", pod, term, [term])),
      ...pod.unboundClaims.map((claim) => this.#unboundClaim(claim)),
      ...this.antiAffinityOf(pod),
      ...pod.preferredAntiAffinity.map((term) => this.#affinity("anti-affinity", pod, term, [term])),
    ];
    this.#owned.set(pod, known);
    return known;
  }

  antiAffinityOf(pod: PodConstraints): readonly TopologyRule[] {
    if (pod.podAntiAffinity.length === 0) return [];
    const known =
      this.#antiAffinity.get(pod) ??
      pod.podAntiAffinity.map((term) => this.#affinity("anti-affinity", pod, term, [term]));
    this.#antiAffinity.set(pod, known);
    return known;
  }

  #spread(pod: PodConstraints, constraint: TopologySpreadConstraint): TopologyRule {
    const labelSelector = validSelector(constraint.labelSelector);
    const selector = withLabelKeys(labelSelector, "In", constraint.matchLabelKeys, pod.labels);
    const affinity = constraint.nodeAffinityPolicy !== "Ignore";
    const taints = constraint.nodeTaintsPolicy === "Honor";
    const eligibility = {
      ...(affinity ? { nodeAlternatives: pod.requiredAlternatives } : {}),
      ...(taints ? { tolerations: pod.tolerations } : {}),
      key: stableJson([affinity ? nodeConstraints(pod) : null, taints ? pod.tolerations : null]),
    };
    const { maxSkew, minDomains = 1, topologyKey: key } = constraint;
    const identity = stableJson(["spread", key, pod.namespace, selector, maxSkew, minDomains, eligibility.key]);
    return this.#rule(identity, {
      kind: "spread",
      key,
      maxSkew,
      minDomains,
      required: requiredLabels(selector),
      matches: memoised((other) => other.namespace === pod.namespace && matchesSelector(selector, other.labels)),
      countsNode: (node) =>
        (!affinity || suitsNode(pod.requiredAlternatives, node)) && (!taints || toleratesNode(pod, node)),
      eligibility,
      description: `topology spread over ${key} (maxSkew ${maxSkew}) of ${describeTarget(selector)}`,
    });
  }

  /** A pod counts for an affinity term only if it matches all terms of the owner (kube-scheduler, InterPodAffinity): `together`. */
  #affinity(
    kind: "affinity" | "anti-affinity",
    pod: PodConstraints,
    term: PodAffinityTerm,
    together: readonly PodAffinityTerm[],
  ): TopologyRule {
    const targets = together.map((one) => this.#target(pod, one));
    const identity = stableJson([kind, term.topologyKey, targets.map((target) => target.identity).sort()]);
    return this.#rule(identity, {
      kind,
      key: term.topologyKey,
      maxSkew: 0,
      minDomains: 0,
      required: targets.flatMap((target) => target.required),
      matches: memoised((other) => targets.every((target) => target.matches(other))),
      countsNode: () => true,
      eligibility: { key: "" },
      description: `pod ${kind} on ${term.topologyKey} to ${targets.map((target) => target.description).join(" and ")}`,
    });
  }

  /** kube-scheduler's VolumeBinding: a claim's first pod settles the volume's zone, and the others follow. */
  #unboundClaim(claim: string): TopologyRule {
    return this.#rule(stableJson(["claim", claim]), {
      kind: "affinity",
      key: label.zone,
      maxSkew: 0,
      minDomains: 0,
      required: [claimTrait(claim)],
      matches: memoised((other) => other.unboundClaims.includes(claim)),
      countsNode: () => true,
      eligibility: { key: "" },
      description: `the zone of PersistentVolumeClaim ${claim}, which its first pod settles,`,
    });
  }

  /** Which pods a term is about. */
  #target(pod: PodConstraints, term: PodAffinityTerm) {
    const matching = withLabelKeys(validSelector(term.labelSelector), "In", term.matchLabelKeys, pod.labels);
    const selector = withLabelKeys(matching, "NotIn", term.mismatchLabelKeys, pod.labels);
    const inNamespace = this.#namespaceFilter(pod, term);
    const own = term.namespaces === undefined && term.namespaceSelector === undefined ? pod.namespace : null;
    return {
      required: requiredLabels(selector),
      identity: stableJson([own, term.namespaces, term.namespaceSelector, selector]),
      matches: (other: PodConstraints) => inNamespace(other.namespace) && matchesSelector(selector, other.labels),
      description: describeTarget(selector),
    };
  }

  #namespaceFilter(pod: PodConstraints, term: PodAffinityTerm): (namespace: string) => boolean {
    const listed = new Set(term.namespaces ?? []);
    const { namespaceSelector } = term;
    if (listed.size === 0 && namespaceSelector === undefined) return (namespace) => namespace === pod.namespace;
    return (namespace) =>
      listed.has(namespace) ||
      (namespaceSelector !== undefined && matchesSelector(namespaceSelector, this.#namespaces.get(namespace) ?? {}));
  }

  /** Equal rules are one object. */
  #rule(identity: string, rule: Omit<TopologyRule, "identity">): TopologyRule {
    const known = this.#rules.get(identity) ?? { ...rule, identity };
    this.#rules.set(identity, known);
    return known;
  }
}

/** Pods of one class share their constraints object, so that each class is matched once. */
function memoised(matches: (pod: PodConstraints) => boolean): (pod: PodConstraints) => boolean {
  const known = new WeakMap<PodConstraints, boolean>();
  return (pod) => {
    let answer = known.get(pod);
    if (answer === undefined) {
      answer = matches(pod);
      known.set(pod, answer);
    }
    return answer;
  };
}

/** One that the API server would not take selects nothing, as an absent one does (karpenter-core §5). */
function validSelector(selector: LabelSelector | undefined): LabelSelector | undefined {
  return selector === undefined || isValidSelector(selector) ? selector : undefined;
}

/** The pairs of a selector that every label set it matches has. */
function requiredLabels(selector: LabelSelector | undefined): readonly string[] {
  const pairs = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => labelTrait(key, value));
  const ofExpressions = (selector?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }) => {
    const [value, ...others] = operator === "In" ? values : [];
    return value === undefined || others.length > 0 ? [] : [labelTrait(key, value)];
  });
  return [...pairs, ...ofExpressions];
}

function describeTarget(selector: LabelSelector | undefined): string {
  return selector === undefined ? "nothing" : describeSelector(selector);
}

/** `matchLabelKeys` and `mismatchLabelKeys`: the pod's own values of these keys join the selector; keys it lacks are ignored. */
function withLabelKeys(
  selector: LabelSelector | undefined,
  operator: "In" | "NotIn",
  keys: readonly string[] | undefined,
  labels: Readonly<Record<string, string>>,
): LabelSelector | undefined {
  const present = (keys ?? []).flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (present.length === 0 || selector === undefined) return selector;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...present] };
}

function nodeConstraints(pod: PodConstraints): unknown {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return [pod.spec.nodeSelector ?? {}, required ?? {}];
}

const noUndefinedLabels: ReadonlySet<string> = new Set();

/** Whether one of these alternatives holds for a node's real labels. */
export function suitsNode(alternatives: readonly Requirements[], node: ClusterNode): boolean {
  if (alternatives.some(({ size }) => size === 0)) return true;
  const labels = labelsOfNode.get(node) ?? requirementsOfLabels(node.labels);
  labelsOfNode.set(node, labels);
  return alternatives.some((wanted) => firstIncompatibility(labels, wanted, noUndefinedLabels) === undefined);
}

/** Asked for class after class. */
const labelsOfNode = new WeakMap<ClusterNode, Requirements>();

function toleratesNode(pod: PodConstraints, node: ClusterNode): boolean {
  return firstUntolerated(node.taints, pod.tolerations) === undefined;
}
