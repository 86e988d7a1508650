import type { PodAffinityTerm } from "../../../shared/api/core.ts";
import type { PodConstraints } from "../../../shared/state/pod-record.ts";
import type { Placement } from "./binding-order.ts";
import { labelOf } from "./node-matching.ts";
import { type NamespaceLabels, type SelectablePod, termTarget } from "./pod-selection.ts";

interface Rule {
  readonly key: string;
  readonly isMeant: (pod: SelectablePod) => boolean;
  /** By domain: pods that own the term, and pods that it is about. */
  readonly owners: Map<string, Placement[]>;
  readonly meant: Map<string, Placement[]>;
}

/**
 * kube-scheduler's InterPodAffinity, required anti-affinity in both directions: whichever pod is bound first, the other is refused. Only
 * pairs with a newly placed pod are a plan's fault.
 */
export function antiAffinityProblems(
  placements: readonly Placement[],
  present: readonly Placement[],
  namespaces: NamespaceLabels,
): readonly string[] {
  const all = [...placements, ...present];
  const rules = new Map<string, Rule>();
  const ownedBy = new Map<PodConstraints, readonly Rule[]>();
  for (const { pod } of all) {
    const owner = pod.constraints;
    if (!ownedBy.has(owner))
      ownedBy.set(
        owner,
        termsOf(owner).map((term) => ruleOf(term, owner, namespaces, rules)),
      );
  }
  const meantBy = new Map<PodConstraints, readonly Rule[]>();
  const meant = (pod: PodConstraints) => {
    const found = meantBy.get(pod) ?? [...rules.values()].filter((rule) => rule.isMeant(pod));
    meantBy.set(pod, found);
    return found;
  };
  for (const placement of all) {
    const { constraints } = placement.pod;
    for (const { key, owners } of ownedBy.get(constraints) ?? []) append(owners, key, placement);
    for (const rule of meant(constraints)) append(rule.meant, rule.key, placement);
  }
  return placements.flatMap((placement) => {
    const { constraints } = placement.pod;
    const kept = (ownedBy.get(constraints) ?? []).map((rule) => otherIn(rule.meant, rule.key, placement));
    const keeping = meant(constraints).map((rule) => otherIn(rule.owners, rule.key, placement));
    const enemy = [...kept, ...keeping].find((other) => other !== undefined);
    if (enemy === undefined) return [];
    return [
      `${nameOf(placement)} on ${placement.node.name}: anti-affinity with ${nameOf(enemy)} on ${enemy.node.name}`,
    ];
  });
}

function ruleOf(
  term: PodAffinityTerm,
  owner: PodConstraints,
  namespaces: NamespaceLabels,
  rules: Map<string, Rule>,
): Rule {
  const { identity, isMeant } = termTarget(term, owner, namespaces);
  const key = term.topologyKey;
  const name = `${key} ${identity}`;
  const rule = rules.get(name) ?? { key, isMeant, owners: new Map(), meant: new Map() };
  rules.set(name, rule);
  return rule;
}

function append(byDomain: Map<string, Placement[]>, key: string, placement: Placement): void {
  const domain = labelOf(placement.node.labels, key);
  if (domain === undefined) return;
  const there = byDomain.get(domain) ?? [];
  there.push(placement);
  byDomain.set(domain, there);
}

function otherIn(
  byDomain: ReadonlyMap<string, readonly Placement[]>,
  key: string,
  placement: Placement,
): Placement | undefined {
  const there = byDomain.get(labelOf(placement.node.labels, key) ?? "") ?? [];
  return there.slice(0, 2).find((other) => other !== placement);
}

function termsOf({ spec }: PodConstraints): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function nameOf({ pod }: Placement): string {
  return `${pod.namespace}/${pod.name}`;
}
