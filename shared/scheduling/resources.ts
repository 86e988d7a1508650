import type { ResourceList } from "../api/schema.ts";
import { formatBytes, formatMillis, quantityToMillis, quantityToWhole } from "./quantities.ts";

/** Amounts by resource name: `cpu` in millicores, every other resource in whole units (bytes, counts). Absent means none. */
export type Resources = Readonly<Record<string, number>>;

/** Whether `requests` fit into `available`: {@link firstShortage} without saying which one is short. */
export function fits(requests: Resources, available: Resources): boolean {
  for (const name in requests) {
    const requested = requests[name] ?? 0;
    if (requested > 0 && requested > (available[name] ?? 0)) {
      return false;
    }
  }
  return true;
}

/**
 * The first resource by name of which more is requested than available. A request of zero always fits, also where the resource
 * is unknown or overcommitted, as in kube-scheduler's NodeResourcesFit.
 */
export function firstShortage(requests: Resources, available: Resources): string | undefined {
  let shortage: string | undefined;
  for (const name in requests) {
    const requested = requests[name] ?? 0;
    if (requested > 0 && requested > (available[name] ?? 0) && (shortage === undefined || name < shortage)) {
      shortage = name;
    }
  }
  return shortage;
}

/**
 * Quantities as numbers, fractions rounded up.
 * @throws RangeError that names the resource and the text.
 */
export function parseResources(list: ResourceList | undefined): Resources {
  const resources: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(list ?? {})) {
    try {
      resources[name] = name === "cpu" ? quantityToMillis(quantity) : quantityToWhole(quantity);
    } catch (cause) {
      throw new RangeError(`resource ${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  return resources;
}

/** The inverse of {@link parseResources}, sorted by name: `cpu` as `1930m`, memory and storage in binary units, the rest plain. */
export function formatResources(resources: Resources): ResourceList {
  const list: Record<string, string> = {};
  for (const name of Object.keys(resources).sort()) {
    list[name] = formatAmount(name, resources[name] ?? 0);
  }
  return list;
}

export function addResources(...vectors: readonly Resources[]): Resources {
  const sum: Record<string, number> = {};
  for (const vector of vectors) {
    for (const name in vector) {
      sum[name] = (sum[name] ?? 0) + (vector[name] ?? 0);
    }
  }
  return sum;
}

/** `a` less `b`, over the names of both; may go negative. */
export function subtractResources(a: Resources, b: Resources): Resources {
  const difference: Record<string, number> = { ...a };
  for (const name in b) {
    difference[name] = (difference[name] ?? 0) - (b[name] ?? 0);
  }
  return difference;
}

/** Element by element the largest amount of those vectors that name the resource. */
export function maxResources(...vectors: readonly Resources[]): Resources {
  const largest: Record<string, number> = {};
  for (const vector of vectors) {
    for (const name in vector) {
      const amount = vector[name] ?? 0;
      largest[name] = Math.max(largest[name] ?? amount, amount);
    }
  }
  return largest;
}

function formatAmount(name: string, amount: number): string {
  if (name === "cpu") {
    return formatMillis(amount);
  }
  const inBytes = name === "memory" || name === "ephemeral-storage" || name.startsWith("hugepages-");
  return inBytes ? formatBytes(amount) : String(amount);
}
