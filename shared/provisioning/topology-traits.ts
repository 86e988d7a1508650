import type { PodConstraints } from "../state/pod-record.ts";

/** What a group may ask of a pod, as text. */
export function traitsOf({ labels, unboundClaims }: PodConstraints): readonly string[] {
  return [...Object.entries(labels).map(([key, value]) => labelTrait(key, value)), ...unboundClaims.map(claimTrait)];
}

export function labelTrait(key: string, value: string): string {
  return `${key}=${value}`;
}

/** No label has such a key. */
export function claimTrait(claim: string): string {
  return `claim ${claim}`;
}
