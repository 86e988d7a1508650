import * as z from "zod";
import type { UnavailableOffering } from "./catalog.ts";
import { type Ec2ErrorClass, unavailableFor } from "./ec2-errors.ts";
import type { Offering } from "./instance-type.ts";

/** Matches every instance type, zone or capacity type. */
const any = "*";

/** What a refused request asked for. */
export interface RefusedRequest {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly subnetId: string;
  readonly reservationId?: string;
}

/**
 * The entry that a refusal adds or renews; nothing when the error speaks for no offering. A refusal while an entry is still in
 * force comes from a request that was under way, so only one after its end counts as a repetition (design §4.1, step 6).
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
  const untilAt = Math.max(now + unavailableFor(times, error.ttlSeconds) * 1_000, before?.untilAt ?? 0);
  return [{ ...scope, untilAt, times, code: error.code }];
}

/** Why an offering cannot be had now: the entry that says so. Wildcards apply. A reservation's entry has its id in the place of the zone. */
export function unavailability(
  instanceType: string,
  offering: Pick<Offering, "zone" | "capacityType" | "reservationId">,
  known: readonly UnavailableOffering[],
  now: number,
): UnavailableOffering | undefined {
  return known.find(
    (entry) =>
      entry.untilAt > now &&
      (entry.instanceType === any || entry.instanceType === instanceType) &&
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

/** Entries with those of `marks` in the place of their older selves. */
export function withMarks(
  known: readonly UnavailableOffering[],
  marks: readonly UnavailableOffering[],
): readonly UnavailableOffering[] {
  const renewed = new Set(marks.map(unavailableKey));
  return [...known.filter((entry) => !renewed.has(unavailableKey(entry))), ...marks];
}

/** Keys of the ConfigMap that hold nothing of use any more: expired so long ago that a refusal would count as the first. */
export function expiredKeys(known: readonly UnavailableOffering[], now: number): readonly string[] {
  return known.filter((entry) => now >= forgottenAt(entry)).map(unavailableKey);
}

/** `type_zone_capacityType`, with `any` for a wildcard: a valid key of a ConfigMap (design rule 4: one key per fact). */
export function unavailableKey(entry: Pick<UnavailableOffering, "instanceType" | "zone" | "capacityType">): string {
  return [entry.instanceType, entry.zone, entry.capacityType].map((part) => (part === any ? "any" : part)).join("_");
}

/** The ConfigMap's value for an entry. */
export function formatUnavailable(entry: UnavailableOffering): string {
  return JSON.stringify({ untilAt: entry.untilAt, times: entry.times, code: entry.code });
}

/** Reads one key and value of the ConfigMap; undefined when they are not an entry, which is no reason to stop launching. */
export function parseUnavailable(key: string, value: string): UnavailableOffering | undefined {
  const [instanceType, zone, capacityType, ...rest] = key.split("_").map((part) => (part === "any" ? any : part));
  if (!instanceType || !zone || !capacityType || rest.length > 0) return undefined;
  const fact = storedFact.safeParse(value);
  return fact.success ? { instanceType, zone, capacityType, ...fact.data } : undefined;
}

const storedFact = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue("expected JSON");
      return z.NEVER;
    }
  })
  .pipe(z.object({ untilAt: z.number(), times: z.number().int().min(1), code: z.string() }));

function scopeOf(
  error: Ec2ErrorClass,
  { instanceType, zone, capacityType, subnetId, reservationId }: RefusedRequest,
): Pick<UnavailableOffering, "instanceType" | "zone" | "capacityType"> | undefined {
  switch (error.scope) {
    case "offering":
      return { instanceType, zone: reservationId ?? zone, capacityType };
    case "type-in-zone":
      return { instanceType, zone, capacityType: any };
    case "type":
      return { instanceType, zone: any, capacityType };
    case "zone":
      return { instanceType: any, zone, capacityType: any };
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
