import type { TopologySpreadConstraint } from "../../../shared/api/core.ts";
import type { PodConstraints } from "../../../shared/state/pod-record.ts";
import type { CheckedNode } from "./checked-node.ts";
import { labelOf, selectsNode, untolerated } from "./node-matching.ts";
import { isEmptySelector, memoised, type SelectablePod, selects, withOwnValues } from "./pod-selection.ts";

/** Pods of one selector counted by domain, as kube-scheduler's PodTopologySpread does for one constraint. */
export class SpreadGroup {
  readonly key: string;
  readonly isCounted: (pod: SelectablePod) => boolean;
  readonly #isEligible: (node: CheckedNode) => boolean;
  readonly #eligible = new Map<CheckedNode, boolean>();
  readonly #counts = new Map<string, number>();
  /** How many domains hold how many pods: what moves the minimum. */
  readonly #domainsWith = new Map<number, number>();
  readonly #domains = new Set<string>();
  #minimum = 0;

  constructor(constraint: TopologySpreadConstraint, owner: PodConstraints, nodes: readonly CheckedNode[]) {
    this.key = constraint.topologyKey;
    const selector = withOwnValues(constraint.labelSelector, owner.labels, "In", constraint.matchLabelKeys);
    const countsAnything = selector !== undefined && !isEmptySelector(selector);
    this.isCounted = memoised(
      (pod) => countsAnything && pod.namespace === owner.namespace && selects(selector, pod.labels),
    );
    this.#isEligible = eligibility(constraint, owner);
    // What a leaving node has of its own will be gone: no pod waits for such a domain to fill.
    for (const node of nodes) if (!node.leaving && this.countsNode(node)) this.#addDomain(node);
  }

  get minimum(): number {
    return this.#minimum;
  }

  /** With fewer domains than `minDomains` the emptiest counts as empty. */
  least(minDomains: number): number {
    return this.#domains.size < minDomains ? 0 : this.#minimum;
  }

  countIn(domain: string): number {
    return this.#counts.get(domain) ?? 0;
  }

  countsNode(node: CheckedNode): boolean {
    let eligible = this.#eligible.get(node);
    if (eligible === undefined) {
      // The project's rule (field-scenarios B1.03): an empty value is a node's that is still to be told where it is, and no domain.
      // kube-scheduler itself asks only for the key and would count one, at zero for ever where no pod fits: it would refuse all others.
      eligible = (labelOf(node.labels, this.key) ?? "") !== "" && this.#isEligible(node);
      this.#eligible.set(node, eligible);
    }
    return eligible;
  }

  /** Whether the minimum has risen. */
  add(node: CheckedNode): boolean {
    if (!this.countsNode(node)) return false;
    const domain = labelOf(node.labels, this.key) ?? "";
    const before = this.countIn(domain);
    this.#counts.set(domain, before + 1);
    if (!this.#domains.has(domain)) return false;
    const left = (this.#domainsWith.get(before) ?? 0) - 1;
    this.#domainsWith.set(before, left);
    this.#domainsWith.set(before + 1, (this.#domainsWith.get(before + 1) ?? 0) + 1);
    if (left > 0 || before !== this.#minimum) return false;
    this.#minimum = before + 1;
    return true;
  }

  #addDomain(node: CheckedNode): void {
    const domain = labelOf(node.labels, this.key) ?? "";
    if (this.#domains.has(domain)) return;
    this.#domains.add(domain);
    this.#domainsWith.set(0, this.#domains.size);
  }

  /** Equal for constraints that count the same pods on the same nodes. */
  static identity(constraint: TopologySpreadConstraint, owner: PodConstraints): string {
    const { topologyKey, labelSelector, matchLabelKeys, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
    const { spec } = owner;
    const selector = withOwnValues(labelSelector, owner.labels, "In", matchLabelKeys);
    const honoursAffinity = nodeAffinityPolicy !== "Ignore";
    return JSON.stringify([
      topologyKey,
      owner.namespace,
      selector,
      honoursAffinity
        ? [spec.nodeSelector, spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution]
        : 0,
      nodeTaintsPolicy === "Honor" ? spec.tolerations : 0,
      hardSpreads(owner).map((other) => other.topologyKey),
    ]);
  }
}

export function hardSpreads({ spec }: PodConstraints): readonly TopologySpreadConstraint[] {
  return (spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
}

/** Nodes are counted that have the keys of all hard constraints of the pod, and that the policies admit. */
function eligibility(
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  owner: PodConstraints,
): (node: CheckedNode) => boolean {
  const { spec } = owner;
  const keys = hardSpreads(owner).map(({ topologyKey }) => topologyKey);
  return (node) =>
    keys.every((key) => labelOf(node.labels, key) !== undefined) &&
    (nodeAffinityPolicy === "Ignore" || selectsNode(spec, node)) &&
    (nodeTaintsPolicy !== "Honor" || untolerated(spec.tolerations, node.taints) === undefined);
}
