import type { Requirement, Requirements } from "../scheduling/requirements.ts";

/** Text that is equal for requirements that ask the same. */
export function requirementsKey(requirements: Requirements): string {
  if (requirements.size === 0) return "";
  return [...requirements.values()].map(requirementKey).sort().join();
}

function requirementKey({ key, complement, values, min, max, mayBeAbsent, minValues }: Requirement): string {
  return JSON.stringify([key, complement, [...values].sort(), min, max, mayBeAbsent, minValues]);
}
