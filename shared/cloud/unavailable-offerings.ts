import * as z from "zod";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { formatTime } from "../api/time.ts";
import type { UnavailableOffering } from "./catalog.ts";
import { type Ec2ErrorClass, unavailableFor } from "./ec2-errors.ts";
import type { Offering } from "./instance-type.ts";
import { mostStoredFacts, storedJson, storedTime } from "./stored-facts.ts";

/** Matches every instance type, zone or capacity type. */
const any = "*";

/** What a refused request asked for. */
export interface RefusedRequest {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly subnetId: string;
  readonly reservationId?: string;
  readonly placementGroupId?: string;
}

/** How long the capacity type stays away after its mark would have ended the first time; doubled each time, like the mark. */
const firstReturnSeconds = 300;

/**
 * The entry that a refusal adds or renews; nothing when the error speaks for no offering. A refusal while an entry is still in
 * force comes from a request that was under way, so only one after its end counts as a repetition (design §4.1, step 6). A whole
 * capacity type comes back later than one offering, so that launches do not swing between spot and on-demand.
 */
export function markUnavailable(
  error: Ec2ErrorClass,
  request: RefusedRequest,
  known: readonly UnavailableOffering[],
  now: number,
): readonly UnavailableOffering[] {
  const scope = scopeOf(error, request);
  if (scope === undefined) return [];
  const before = known.find((entry) => unavailableKey(entry) === unavailableKey(scope) && now < forgottenAt(entry));
  const times = before === undefined ? 1 : before.untilAt > now ? before.times : before.times + 1;
  const returnSeconds = error.scope === "capacity-type" ? unavailableFor(times, firstReturnSeconds) : 0;
  const seconds = unavailableFor(times, error.ttlSeconds) + returnSeconds;
  const untilAt = Math.max(now + seconds * 1_000, before?.untilAt ?? 0);
  return [{ ...scope, untilAt, times, code: error.code }];
}

/**
 * Why an offering cannot be had now: the entry that says so. Wildcards apply. A reservation's entry has its id in the place of the zone,
 * a placement group's in the place of the type.
 */
export function unavailability(
  instanceType: string,
  offering: Pick<Offering, "zone" | "capacityType" | "reservationId">,
  known: readonly UnavailableOffering[],
  now: number,
  placementGroupId?: string,
): UnavailableOffering | undefined {
  return known.find(
    (entry) =>
      entry.untilAt > now &&
      (entry.instanceType === any || entry.instanceType === instanceType || entry.instanceType === placementGroupId) &&
      (entry.zone === any || entry.zone === offering.zone || entry.zone === offering.reservationId) &&
      (entry.capacityType === any || entry.capacityType === offering.capacityType),
  );
}

/** Subnets that cannot be used now. A subnet's entry has its id in the place of the zone. */
export function unavailableSubnets(known: readonly UnavailableOffering[], now: number): ReadonlySet<string> {
  return new Set(
    known.filter((entry) => entry.untilAt > now && entry.zone.startsWith("subnet-")).map((entry) => entry.zone),
  );
}

/** Zones of a class that cannot be used now, because all its subnets there cannot, as entries. */
export function zonesWithoutSubnet(
  { status }: EC2NodeClass,
  known: readonly UnavailableOffering[],
  now: number,
): readonly UnavailableOffering[] {
  const closed = unavailableSubnets(known, now);
  if (closed.size === 0) return [];
  return [...Map.groupBy(status?.subnets ?? [], ({ zone }) => zone)].flatMap(([zone, subnets]) => {
    const entries = known.filter((entry) => subnets.some(({ id }) => id === entry.zone));
    if (!subnets.every(({ id }) => closed.has(id))) return [];
    return entries.map((entry) => ({ ...entry, zone }));
  });
}

/** Entries with those of `marks` in the place of their older selves. */
export function withMarks(
  known: readonly UnavailableOffering[],
  marks: readonly UnavailableOffering[],
): readonly UnavailableOffering[] {
  const renewed = new Set(marks.map(unavailableKey));
  return [...known.filter((entry) => !renewed.has(unavailableKey(entry))), ...marks];
}

/**
 * Keys of the ConfigMap to be taken out: of entries that have ended so long ago that a refusal would count as the first, and, where
 * there are too many, of those that end first.
 */
export function sweptKeys(known: readonly UnavailableOffering[], now: number): readonly string[] {
  const kept = known.filter((entry) => now < forgottenAt(entry)).sort((a, b) => b.untilAt - a.untilAt);
  const excess = new Set(kept.slice(mostStoredFacts));
  return known.filter((entry) => now >= forgottenAt(entry) || excess.has(entry)).map(unavailableKey);
}

/** `type_zone_capacityType`, with `any` for a wildcard: a valid key of a ConfigMap (design rule 4: one key per fact). */
export function unavailableKey(entry: Pick<UnavailableOffering, "instanceType" | "zone" | "capacityType">): string {
  return [entry.instanceType, entry.zone, entry.capacityType].map((part) => (part === any ? "any" : part)).join("_");
}

/** The ConfigMap's value for an entry. */
export function formatUnavailable(entry: UnavailableOffering): string {
  return JSON.stringify({ until: formatTime(entry.untilAt), times: entry.times, code: entry.code });
}

/** Reads one key and value of the ConfigMap; undefined when they are not an entry, which is no reason to stop launching. */
export function parseUnavailable(key: string, value: string): UnavailableOffering | undefined {
  const [instanceType, zone, capacityType, ...rest] = key.split("_").map((part) => (part === "any" ? any : part));
  if (!instanceType || !zone || !capacityType || rest.length > 0) return undefined;
  const fact = storedFact.safeParse(value);
  if (!fact.success) return undefined;
  const { until, times, code } = fact.data;
  return { instanceType, zone, capacityType, untilAt: until, times, code };
}

const storedFact = storedJson(z.object({ until: storedTime, times: z.number().int().min(1), code: z.string() }));

function scopeOf(
  error: Ec2ErrorClass,
  { instanceType, zone, capacityType, subnetId, reservationId, placementGroupId }: RefusedRequest,
): Pick<UnavailableOffering, "instanceType" | "zone" | "capacityType"> | undefined {
  switch (error.scope) {
    case "offering":
      return { instanceType, zone: reservationId ?? zone, capacityType };
    case "type-in-zone":
      return { instanceType, zone, capacityType: any };
    case "type":
      return { instanceType, zone: any, capacityType };
    case "placement-group-in-zone":
      return placementGroupId === undefined
        ? { instanceType, zone, capacityType }
        : { instanceType: placementGroupId, zone, capacityType: any };
    case "capacity-type":
      return { instanceType: any, zone: any, capacityType };
    case "subnet":
      return { instanceType: any, zone: subnetId, capacityType: any };
    case "none":
      return undefined;
  }
}

/** An entry is remembered as long after its end as it was in force, an hour at least, so that repetition is seen. */
function forgottenAt(entry: UnavailableOffering): number {
  return entry.untilAt + Math.max(3_600, unavailableFor(entry.times)) * 1_000;
}
