import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { stableJson } from "../api/stable-json.ts";
import { offeringKey } from "./instance-type.ts";
import { type LaunchRecord, type LeaderRecord, launchGroupId, parseLaunchRecord } from "./launch-record.ts";
import { launchTraits } from "./launch-traits.ts";
import type { RankedOffering } from "./ranking.ts";

/** A NodeClaim of the cluster with the offerings that suit it, best first; a claim that is not to be launched needs none. */
export interface LaunchClaim {
  readonly nodeClaim: NodeClaim;
  readonly offerings: readonly RankedOffering[];
}

export interface LaunchMember {
  readonly name: string;
  readonly deleting: boolean;
  /** The group that its annotation names. */
  readonly writtenGroup?: string;
  /** From `status.providerID`. */
  readonly instanceId?: string;
}

/** NodeClaims that one RunInstances call serves, at first with one offering, later with what is left of them (design §4.1, step 5). */
export interface LaunchGroup {
  readonly id: string;
  /** The first name, whose annotation holds the record and whose spec makes the request. */
  readonly leader: string;
  readonly nodePool: string;
  readonly nodeClass: string;
  /** Sorted by name. */
  readonly members: readonly LaunchMember[];
  /** Of the leader; absent before the first attempt. */
  readonly record?: LeaderRecord;
  /** Offerings that suit every member still without an instance, in the order of the first of them. */
  readonly offerings: readonly RankedOffering[];
}

export interface LaunchGroups {
  /** Unsettled groups of earlier passes first, then new ones, each sorted by leader. */
  readonly groups: readonly LaunchGroup[];
  readonly skipped: readonly { readonly nodeClaim: string; readonly reason: string }[];
}

/**
 * Groups of NodeClaims that ask for the same thing. Pass every NodeClaim of the cluster, launched ones too: a record may be held by
 * a leader that has its instance while another member still waits. The order of the list does not matter.
 */
export function launchGroups(
  claims: readonly LaunchClaim[],
  options: { readonly clusterName: string; readonly maxGroupSize?: number },
): LaunchGroups {
  const entries = claims.map(entryOf).sort((a, b) => compare(a.name, b.name));
  const committed = entries.flatMap((entry) => committedGroup(entry, entries));
  const taken = new Set(committed.flatMap((group) => group.members.map((member) => member.name)));
  const free = entries.filter((entry) => !taken.has(entry.name) && isWanting(entry.member));
  const ready = free.filter((entry) => entry.problem === undefined);
  const fresh = [...Map.groupBy(ready, launchKey).values()]
    .flatMap((alike) => chunks(alike, options.maxGroupSize ?? 50))
    .map((alike) => groupOf(launchGroupId(options.clusterName, alike.map(identity)), alike))
    .filter((group) => group !== undefined)
    .sort((a, b) => compare(a.leader, b.leader));
  return {
    groups: [...committed.filter(isUnsettled), ...fresh],
    skipped: free.flatMap(({ name, problem }) => (problem === undefined ? [] : [{ nodeClaim: name, reason: problem }])),
  };
}

/**
 * Claims whose group may still have a launch under way: a deleting one among them keeps its finalizer until its group is settled
 * (design §4.1, step 6), because its record is what finds the instances.
 */
export function unsettledClaims(nodeClaims: readonly NodeClaim[]): ReadonlySet<string> {
  const entries = nodeClaims.map((nodeClaim) => entryOf({ nodeClaim, offerings: [] }));
  const unsettled = entries
    .flatMap((entry) => committedGroup(entry, entries))
    .filter((group) => group.record?.state === "sent");
  return new Set(unsettled.flatMap((group) => group.members.map((member) => member.name)));
}

/** Whether a member still has to be given an instance. */
export function isWanting(member: LaunchMember): boolean {
  return !member.deleting && member.instanceId === undefined;
}

interface Entry extends LaunchClaim {
  readonly name: string;
  readonly member: LaunchMember;
  readonly record?: LaunchRecord;
  /** Why the claim cannot be launched in a new group. */
  readonly problem?: string;
}

function entryOf(claim: LaunchClaim): Entry {
  const { metadata, status } = claim.nodeClaim;
  const parsed = parseLaunchRecord(metadata.annotations?.[annotation.launch]);
  const record = parsed.kind === "record" ? parsed.record : undefined;
  const instanceId = status?.providerID?.split("/").at(-1);
  const problem =
    parsed.kind === "unreadable" ? parsed.reason : claim.offerings.length === 0 ? "no offering suits it" : undefined;
  return {
    ...claim,
    name: metadata.name,
    ...(record && { record }),
    ...(problem && { problem }),
    member: {
      name: metadata.name,
      deleting: metadata.deletionTimestamp !== undefined,
      ...(record && { writtenGroup: record.group }),
      ...(instanceId && { instanceId }),
    },
  };
}

/**
 * The group a leader has committed. A pointer without a leader's record was never committed and counts for nothing; a settled group
 * whose leader is going leaves its members free for another.
 */
function committedGroup(leader: Entry, entries: readonly Entry[]): readonly LaunchGroup[] {
  const record = leader.record;
  if (record?.role !== "leader" || (record.state !== "sent" && leader.member.deleting)) return [];
  const listed = new Set(record.members);
  const members = entries.filter(
    (entry) => entry === leader || (listed.has(entry.name) && entry.record?.group === record.group),
  );
  const group = groupOf(record.group, members);
  return group === undefined ? [] : [{ ...group, leader: leader.name, record }];
}

function isUnsettled(group: LaunchGroup): boolean {
  return group.record?.state === "sent" || group.members.some(isWanting);
}

function groupOf(id: string, entries: readonly Entry[]): LaunchGroup | undefined {
  const leader = entries[0];
  if (leader === undefined) return undefined;
  return {
    id,
    leader: leader.name,
    nodePool: leader.nodeClaim.metadata.labels?.[label.nodePool] ?? "",
    nodeClass: leader.nodeClaim.spec.nodeClassRef.name,
    members: entries.map((entry) => entry.member),
    offerings: commonOfferings(entries.filter((entry) => isWanting(entry.member))),
  };
}

function commonOfferings(entries: readonly Entry[]): readonly RankedOffering[] {
  const [first, ...others] = entries;
  const offered = others.map(({ offerings }) => new Set(offerings.map((one) => offeringKey(one.instanceType, one))));
  return first?.offerings.filter((one) => offered.every((keys) => keys.has(offeringKey(one.instanceType, one)))) ?? [];
}

/** Equal for claims whose request to EC2 would be the same, count and token aside. */
function launchKey({ nodeClaim, offerings }: Entry): string {
  const { metadata, spec } = nodeClaim;
  const first = offerings[0];
  return stableJson([
    first && offeringKey(first.instanceType, first),
    spec.nodeClassRef,
    metadata.labels ?? {},
    spec.taints ?? [],
    spec.startupTaints ?? [],
    launchTraits(nodeClaim),
  ]);
}

function identity({ nodeClaim }: Entry): string {
  return nodeClaim.metadata.uid ?? nodeClaim.metadata.name;
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
