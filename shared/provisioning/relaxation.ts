import type { PodAffinityTerm, TopologySpreadConstraint } from "../api/core.ts";
import type { Taint } from "../api/schema.ts";
import { preferredNodeTerms } from "../scheduling/pod-requirements.ts";
import { intersectAll, type Requirements } from "../scheduling/requirements.ts";
import type { PodConstraints } from "../state/pod-record.ts";

/** What a pod may wish for without requiring it, in the order in which it is given up (karpenter-core §2.4). */
export const preferenceKinds = ["podAffinity", "podAntiAffinity", "nodeAffinity", "spread", "taints"] as const;
export type PreferenceKind = (typeof preferenceKinds)[number];

/** How many preferences of each kind are kept. */
type Kept = Readonly<Record<PreferenceKind, number>>;

/**
 * A class's constraints with its preferences made requirements, and what is left of them as they are given up one at a time:
 * the strictest first, last what the pod requires alone. Of one kind the heaviest goes first; of preferred node terms only the
 * heaviest that remains counts. Equal levels are one object, however they are reached.
 */
export class Relaxation {
  readonly #constraints: PodConstraints;
  readonly #soft: SoftConstraints;
  readonly #levels = new Map<string, PodConstraints>();

  /** `avoidable`: some NodePool has a `PreferNoSchedule` taint. */
  constructor(constraints: PodConstraints, avoidable: boolean) {
    this.#constraints = constraints;
    this.#soft = softConstraints(constraints, avoidable);
  }

  /** The kinds of preferences that the class has. */
  kinds(): readonly PreferenceKind[] {
    return preferenceKinds.filter((kind) => this.#soft[kind].length > 0);
  }

  levels(kinds: ReadonlySet<PreferenceKind>): readonly PodConstraints[] {
    const most = (kind: PreferenceKind) => (kinds.has(kind) ? this.#soft[kind].length : 0);
    let kept: Kept = {
      podAffinity: most("podAffinity"),
      podAntiAffinity: most("podAntiAffinity"),
      nodeAffinity: most("nodeAffinity"),
      spread: most("spread"),
      taints: most("taints"),
    };
    const levels = [this.#level(kept)];
    for (const kind of preferenceKinds) {
      while (kept[kind] > 0) {
        kept = { ...kept, [kind]: kept[kind] - 1 };
        levels.push(this.#level(kept));
      }
    }
    return levels;
  }

  #level(kept: Kept): PodConstraints {
    const key = preferenceKinds.map((kind) => kept[kind]).join();
    const level = this.#levels.get(key) ?? keeping(this.#constraints, this.#soft, kept);
    this.#levels.set(key, level);
    return level;
  }
}

/** Of each kind, what is given up first comes first. */
interface SoftConstraints {
  readonly podAffinity: readonly PodAffinityTerm[];
  readonly podAntiAffinity: readonly PodAffinityTerm[];
  readonly nodeAffinity: readonly Requirements[];
  readonly spread: readonly TopologySpreadConstraint[];
  /** One effect, or none where no NodePool has it. */
  readonly taints: readonly Taint["effect"][];
}

function softConstraints({ spec, topologySpread }: PodConstraints, avoidable: boolean): SoftConstraints {
  const terms = (list: readonly WeightedTerm[] = []) =>
    list.toSorted((a, b) => b.weight - a.weight).map(({ podAffinityTerm }) => podAffinityTerm);
  return {
    podAffinity: terms(spec.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    podAntiAffinity: terms(spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    nodeAffinity: preferredNodeTerms(spec),
    spread: topologySpread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "ScheduleAnyway"),
    taints: avoidable ? ["PreferNoSchedule"] : [],
  };
}

interface WeightedTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

/** The same constraints with the last `kept` preferences of each kind required. */
function keeping(constraints: PodConstraints, soft: SoftConstraints, kept: Kept): PodConstraints {
  if (preferenceKinds.every((kind) => kept[kind] === 0)) return constraints;
  const [preferred] = lastOf(soft.nodeAffinity, kept.nodeAffinity);
  const spread = new Set(lastOf(soft.spread, kept.spread));
  const { nodeAlternatives } = constraints;
  return {
    ...constraints,
    nodeAlternatives:
      preferred === undefined ? nodeAlternatives : nodeAlternatives.map((wanted) => intersectAll(wanted, preferred)),
    preferredAffinity: lastOf(soft.podAffinity, kept.podAffinity),
    preferredAntiAffinity: lastOf(soft.podAntiAffinity, kept.podAntiAffinity),
    topologySpread: constraints.topologySpread.map((constraint) =>
      spread.has(constraint) ? { ...constraint, whenUnsatisfiable: "DoNotSchedule" } : constraint,
    ),
    avoidsPreferNoSchedule: kept.taints > 0,
  };
}

function lastOf<T>(list: readonly T[], count: number): readonly T[] {
  return list.slice(list.length - count);
}
