import * as z from "zod";
import { formatTime } from "../api/time.ts";
import { offeringKey } from "./instance-type.ts";
import { mostStoredFacts, storedJson, storedTime } from "./stored-facts.ts";

/** What spot has taken back of one pool, a (type, zone). */
export interface ReclaimHistory {
  readonly instanceType: string;
  readonly zone: string;
  /** Instances, each worth less the longer ago it was. */
  readonly reclaims: number;
  /** When that was so. */
  readonly at: number;
}

/** After this time a reclaim counts half. */
const halfLifeHours = 6;
/** The time over which a decaying history looks back on average. */
const windowHours = halfLifeHours / Math.LN2;
/** Less than this of one reclaim is nothing. */
const forgottenReclaims = 0.02;

/** The history of each pool with these reclaims in it; pools without any are not among them. */
export function withReclaims(
  known: readonly ReclaimHistory[],
  reclaimed: readonly Pick<ReclaimHistory, "instanceType" | "zone">[],
  now: number,
): readonly ReclaimHistory[] {
  return [...Map.groupBy(reclaimed, reclaimKey)].flatMap(([key, [first, ...others]]) => {
    if (first === undefined) return [];
    const before = known.find((entry) => reclaimKey(entry) === key);
    const { instanceType, zone } = first;
    return [{ instanceType, zone, reclaims: decayed(before, now) + 1 + others.length, at: now }];
  });
}

/**
 * Reclaims per instance and hour of each spot pool, by `offeringKey`: the decayed number, over the hours that it looks back on and the
 * instances there are now (one at least: where all were taken back, none is left to divide by).
 */
export function reclaimsPerHour(
  known: readonly ReclaimHistory[],
  fleet: readonly { readonly instanceType: string; readonly zone: string; readonly nodes: number }[],
  now: number,
): ReadonlyMap<string, number> {
  const nodes = new Map<string, number>();
  for (const pool of fleet) nodes.set(reclaimKey(pool), (nodes.get(reclaimKey(pool)) ?? 0) + pool.nodes);
  return new Map(
    known
      .filter((entry) => decayed(entry, now) >= forgottenReclaims)
      .map((entry) => {
        const instances = Math.max(1, nodes.get(reclaimKey(entry)) ?? 0);
        const key = offeringKey(entry.instanceType, { zone: entry.zone, capacityType: "spot" });
        return [key, decayed(entry, now) / (instances * windowHours)];
      }),
  );
}

/** Keys of histories to be taken out: so old that they count for nothing, and, where there are too many, those that count least. */
export function sweptReclaimKeys(known: readonly ReclaimHistory[], now: number): readonly string[] {
  const weight = new Map(known.map((entry) => [entry, decayed(entry, now)]));
  const isKept = (entry: ReclaimHistory) => (weight.get(entry) ?? 0) >= forgottenReclaims;
  const kept = known.filter(isKept).sort((a, b) => (weight.get(b) ?? 0) - (weight.get(a) ?? 0));
  const excess = new Set(kept.slice(mostStoredFacts));
  return known.filter((entry) => !isKept(entry) || excess.has(entry)).map(reclaimKey);
}

/** `type_zone`: a valid key of a ConfigMap. */
export function reclaimKey({ instanceType, zone }: Pick<ReclaimHistory, "instanceType" | "zone">): string {
  return `${instanceType}_${zone}`;
}

export function formatReclaims({ reclaims, at }: ReclaimHistory): string {
  return JSON.stringify({ reclaims: Number(reclaims.toFixed(3)), at: formatTime(at), halfLife: `${halfLifeHours}h` });
}

/** Undefined when key and value are no history. */
export function parseReclaims(key: string, value: string): ReclaimHistory | undefined {
  const [instanceType, zone, ...rest] = key.split("_");
  const parsed = storedReclaims.safeParse(value);
  if (!instanceType || !zone || rest.length > 0 || !parsed.success) return undefined;
  const { reclaims, at } = parsed.data;
  return { instanceType, zone, reclaims, at };
}

const storedReclaims = storedJson(z.object({ reclaims: z.number().min(0), at: storedTime }));

function decayed(entry: ReclaimHistory | undefined, now: number): number {
  if (entry === undefined) return 0;
  const hours = Math.max(0, now - entry.at) / 3_600_000;
  return entry.reclaims * 2 ** (-hours / halfLifeHours);
}
