import type { PodAffinityTerm } from "../../../shared/api/core.ts";
import type { PodConstraints } from "../../../shared/state/pod-record.ts";
import type { CheckedNode } from "./checked-node.ts";
import { labelOf } from "./node-matching.ts";
import { memoised, type NamespaceLabels, type SelectablePod, termTarget } from "./pod-selection.ts";

/**
 * The required affinity of one kind of owner (kube-scheduler's InterPodAffinity): a pod counts if it matches all terms, and it counts
 * in its domain of each term's key.
 */
export class AffinityGroup {
  readonly keys: readonly string[];
  readonly isCounted: (pod: SelectablePod) => boolean;
  readonly #domains = new Set<string>();

  constructor(owner: PodConstraints, namespaces: NamespaceLabels) {
    const terms = requiredAffinity(owner);
    const targets = terms.map((term) => termTarget(term, owner, namespaces));
    this.keys = terms.map(({ topologyKey }) => topologyKey);
    this.isCounted = memoised((pod) => targets.every(({ isMeant }) => isMeant(pod)));
  }

  get isEmpty(): boolean {
    return this.#domains.size === 0;
  }

  /** Whether it was the first pod in some domain. */
  add(node: CheckedNode): boolean {
    const before = this.#domains.size;
    for (const key of this.keys) {
      const domain = labelOf(node.labels, key);
      if (domain !== undefined) this.#domains.add(`${key}=${domain}`);
    }
    return this.#domains.size > before;
  }

  admits(node: CheckedNode): boolean {
    return this.keys.every((key) => {
      const domain = labelOf(node.labels, key);
      return domain !== undefined && this.#domains.has(`${key}=${domain}`);
    });
  }

  /** The first pod of a kind that is attracted to its own kind may choose, among nodes that have the keys. */
  admitsFirst(pod: PodConstraints, node: CheckedNode): boolean {
    return this.isEmpty && this.isCounted(pod) && this.keys.every((key) => labelOf(node.labels, key) !== undefined);
  }

  static identity(owner: PodConstraints, namespaces: NamespaceLabels): string {
    return JSON.stringify(
      requiredAffinity(owner).map((term) => [term.topologyKey, termTarget(term, owner, namespaces).identity]),
    );
  }
}

export function requiredAffinity({ spec }: PodConstraints): readonly PodAffinityTerm[] {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
