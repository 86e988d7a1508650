import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { parseTime } from "../api/time.ts";
import { nominationsOf } from "./nominations.ts";
import type { PodRecord } from "./pod-record.ts";

/** Claims that were made within this time of one another are of one plan. */
const mostMillisecondsApart = 30_000;

/**
 * The NodeClaims of the same plan whose nodes a claim's node had better wait for before it takes pods, by name: those that are not ready
 * yet, where some of its pods must spread over domains other than nodes. kube-scheduler compares the domains as they are: with room in
 * one zone of six it fills that with what the plan has in all six, and those that come later find nothing left to be even with.
 */
export function awaitedNodes(
  claim: NodeClaim,
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  pods: readonly PodRecord[],
): readonly string[] {
  const uids = new Set(nominationsOf(claim).map(({ uid }) => uid));
  if (!pods.some((pod) => pod.nodeName === undefined && uids.has(pod.uid) && mustSpread(pod))) return [];
  const ready = new Set(nodes.filter(isReady).map(({ spec }) => spec?.providerID));
  return claims
    .filter(
      (other) =>
        other.metadata.name !== claim.metadata.name &&
        other.metadata.deletionTimestamp === undefined &&
        nominationsOf(other).length > 0 &&
        isOfSamePlan(claim, other) &&
        !ready.has(other.status?.providerID),
    )
    .map(({ metadata }) => metadata.name)
    .sort();
}

function mustSpread({ constraints }: PodRecord): boolean {
  return constraints.topologySpread.some(
    ({ topologyKey, whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule" && topologyKey !== label.hostname,
  );
}

function isOfSamePlan(one: NodeClaim, other: NodeClaim): boolean {
  const [a, b] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp];
  return a !== undefined && b !== undefined && Math.abs(parseTime(a) - parseTime(b)) <= mostMillisecondsApart;
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}
