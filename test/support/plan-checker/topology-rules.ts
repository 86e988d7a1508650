import type { PodConstraints } from "../../../shared/state/pod-record.ts";
import { AffinityGroup, requiredAffinity } from "./affinity-group.ts";
import type { CheckedNode } from "./checked-node.ts";
import { labelOf } from "./node-matching.ts";
import type { NamespaceLabels } from "./pod-selection.ts";
import { hardSpreads, SpreadGroup } from "./spread-group.ts";

interface SpreadRule {
  readonly group: SpreadGroup;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 if the pod counts itself. */
  readonly self: number;
}

/** The rules of one kind of pod whose outcome depends on what is bound before it. */
export interface TopologyRules {
  readonly spreads: readonly SpreadRule[];
  readonly affinity: AffinityGroup | undefined;
  /** Groups, its own or others', that count it. */
  readonly countedBy: readonly (SpreadGroup | AffinityGroup)[];
}

/** What keeps a pod away at this moment. */
export type Blocker =
  | { readonly kind: "spread"; readonly group: SpreadGroup; readonly domain: string; readonly text: string }
  | { readonly kind: "affinity"; readonly group: AffinityGroup; readonly text: string };

/** All rules of the pods to be bound, with the counts of a world in which pods are bound one by one. */
export class TopologyWorld {
  readonly #rules = new Map<PodConstraints, Omit<TopologyRules, "countedBy">>();
  readonly #complete = new Map<PodConstraints, TopologyRules>();
  readonly #groups = new Map<string, SpreadGroup | AffinityGroup>();

  constructor(owners: Iterable<PodConstraints>, nodes: readonly CheckedNode[], namespaces: NamespaceLabels) {
    for (const owner of owners) {
      if (this.#rules.has(owner)) continue;
      const spreads = hardSpreads(owner).map((constraint): SpreadRule => {
        const identity = SpreadGroup.identity(constraint, owner);
        const group = this.#group(identity, () => new SpreadGroup(constraint, owner, nodes));
        const { maxSkew, minDomains = 1 } = constraint;
        return { group, maxSkew, minDomains, self: group.isCounted(owner) ? 1 : 0 };
      });
      const affinity =
        requiredAffinity(owner).length === 0
          ? undefined
          : this.#group(AffinityGroup.identity(owner, namespaces), () => new AffinityGroup(owner, namespaces));
      this.#rules.set(owner, { spreads, affinity });
    }
  }

  rulesOf(pod: PodConstraints): TopologyRules {
    let rules = this.#complete.get(pod);
    if (rules === undefined) {
      const own = this.#rules.get(pod) ?? { spreads: [], affinity: undefined };
      rules = { ...own, countedBy: [...this.#groups.values()].filter((group) => group.isCounted(pod)) };
      this.#complete.set(pod, rules);
    }
    return rules;
  }

  /** Counts a pod; returns the groups in which that may free others. */
  bind(pod: PodConstraints, node: CheckedNode): readonly (SpreadGroup | AffinityGroup)[] {
    return this.rulesOf(pod).countedBy.filter((group) => group.add(node));
  }

  #group<G extends SpreadGroup | AffinityGroup>(identity: string, create: () => G): G {
    const group = (this.#groups.get(identity) as G | undefined) ?? create();
    this.#groups.set(identity, group);
    return group;
  }
}

/** `mayBeFirst`: the exception for the first pod of a kind counts as well. */
export function blockerOf(
  rules: TopologyRules,
  pod: PodConstraints,
  node: CheckedNode,
  mayBeFirst: boolean,
): Blocker | undefined {
  const { spreads, affinity } = rules;
  if (affinity !== undefined && !affinity.admits(node) && !(mayBeFirst && affinity.admitsFirst(pod, node))) {
    return { kind: "affinity", group: affinity, text: `affinity on ${affinity.keys.join(", ")}` };
  }
  for (const { group, maxSkew, minDomains, self } of spreads) {
    // An empty value names no domain, as in the counts.
    const domain = labelOf(node.labels, group.key) ?? "";
    if (domain === "") return { kind: "spread", group, domain: "", text: `spread: no label ${group.key}` };
    const [count, least] = [group.countIn(domain), group.least(minDomains)];
    if (count + self - least > maxSkew) {
      const text = `spread over ${group.key}: ${domain} has ${count}, the emptiest ${least}, maxSkew ${maxSkew}`;
      return { kind: "spread", group, domain, text };
    }
  }
  return undefined;
}
