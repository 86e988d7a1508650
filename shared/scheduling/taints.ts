import type { Toleration } from "../api/core.ts";
import type { Taint } from "../api/schema.ts";

/** The effects that keep a pod off a node. */
const hardEffects: readonly Taint["effect"][] = ["NoSchedule", "NoExecute"];
const allEffects: readonly Taint["effect"][] = [...hardEffects, "PreferNoSchedule"];

/** The effects that refuse a pod: `PreferNoSchedule` only while it is taken for a requirement. */
export function refusingEffects(pod: { readonly avoidsPreferNoSchedule: boolean }): readonly Taint["effect"][] {
  return pod.avoidsPreferNoSchedule ? allEffects : hardEffects;
}

/** The first taint with one of the effects that no toleration covers. `PreferNoSchedule` refuses nobody unless it is asked for. */
export function firstUntolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly Taint["effect"][] = hardEffects,
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/**
 * Kubernetes' `ToleratesTaint`: an absent effect covers every effect, an absent key every key (the API server then insists on
 * `Exists`), an absent operator is `Equal`. `Lt` and `Gt` compare the taint's integer with the toleration's (KEP-5471).
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) {
    return false;
  }
  if (toleration.key && toleration.key !== taint.key) {
    return false;
  }
  const wanted = toleration.value ?? "";
  const found = taint.value ?? "";
  switch (toleration.operator) {
    case "Exists":
      return true;
    case "Lt":
      return isInteger(found) && isInteger(wanted) && BigInt(found) < BigInt(wanted);
    case "Gt":
      return isInteger(found) && isInteger(wanted) && BigInt(found) > BigInt(wanted);
    default:
      return found === wanted;
  }
}

/** Both lists; where they share key and effect, the taint of `a` stays. */
export function mergeTaints(a: readonly Taint[], b: readonly Taint[]): readonly Taint[] {
  const added = b.filter((taint) => !a.some(({ key, effect }) => key === taint.key && effect === taint.effect));
  return [...a, ...added];
}

function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}
