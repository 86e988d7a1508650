import type { Node } from "../api/core.ts";
import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { matchesSelector } from "../scheduling/label-selectors.ts";
import { addResources, fits, parseResources, type Resources, subtractResources } from "../scheduling/resources.ts";
import { isLeaving } from "./cluster-nodes.ts";
import { isPastNominationGrace, nominationHolds } from "./nomination-holds.ts";
import { type Nomination, nominationsOf } from "./nominations.ts";
import type { PodRecord } from "./pod-record.ts";
import { hasEnded } from "./pod-roles.ts";

/** What becomes of one pending pod's `status.nominatedNodeName`: it is set to this node, or no longer names it. */
export interface NominationChange {
  readonly kind: "set" | "clear";
  readonly pod: PodRecord;
  readonly nodeName: string;
  /** For the log. */
  readonly why: string;
}

export interface NominationWorld {
  readonly now: number;
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly pods: readonly PodRecord[];
  /** The setting of this name. Without it nothing is set, and what was set is taken back. */
  readonly nominatePods: boolean;
  /** A node that takes pods from now on, though it does not say so yet. */
  readonly opening?: string;
}

/**
 * Which nominations kube-scheduler is to see (design §4.2, §5): those of each NodeClaim's own pods on its node, as far as there is
 * room. A nomination is ours only if it names a claim's node and the claim nominates the pod; all others are left alone (KEP-5278). Ours
 * ends when the node is gone, leaves, is full, or has been ready for long enough. Where pods on the node are terminating,
 * kube-scheduler may be waiting for their room (preemption), and what it waits for stays.
 */
export function nominationChanges(world: NominationWorld): readonly NominationChange[] {
  const nodes = new Map(world.nodes.map((node) => [node.metadata.name, node]));
  const leavingNodes = new Set(
    world.nodes.filter((node) => isLeaving(node, undefined)).map((node) => node.metadata.name),
  );
  const { podsByClaim } = nominationHolds({ ...world, leavingNodes });
  const running = world.pods.filter((pod) => !hasEnded(pod));
  const boundByNode = Map.groupBy(running, (pod) => pod.nodeName ?? "");
  const pending = (boundByNode.get("") ?? []).filter((pod) => pod.deletedAt === undefined);
  const pendingUids = new Set(pending.map(({ uid }) => uid));
  const nominatedByNode = Map.groupBy(pending, (pod) => pod.nominatedNodeName ?? "");
  const claims = world.nodeClaims.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return claims.flatMap((claim) => {
    const nodeName = claim.status?.nodeName;
    if (nodeName === undefined) return [];
    const nominations = new Nominations(claim);
    const nominated = nominatedByNode.get(nodeName) ?? [];
    const own = nominated.filter((pod) => nominations.include(pod)).sort(inTurn);
    const refusal = whyNone(claim, nodes.get(nodeName), world);
    if (refusal !== undefined) return own.map((pod) => ({ kind: "clear", pod, nodeName, why: refusal }));
    const held = (podsByClaim.get(claim.metadata.name) ?? []).filter(
      (pod) => pendingUids.has(pod.uid) && pod.nominatedNodeName === undefined && nominations.include(pod),
    );
    const others = nominated.filter((pod) => !own.includes(pod));
    const room = new NodeRoom(nodes.get(nodeName), boundByNode.get(nodeName) ?? [], others);
    return [
      ...cleared(own, nodeName, room, isPastNominationGrace(claim, world.now)),
      ...(takesPods(nodes.get(nodeName), world) ? added(helped(held.sort(inTurn), nominated), nodeName, room) : []),
    ];
  });
}

/**
 * The pods that a nomination helps. kube-scheduler counts a node's nominated pods in the topology spread of the others: more than
 * `maxSkew` of one constraint keep each other out. Of those that must spread over nodes, so many may wait for one node. Those that must
 * spread over zones go in step with their equals in other zones: where the node was made for more of them, none is nominated, because
 * the ones that wait would keep their equals out as well.
 */
function helped(held: readonly PodRecord[], nominated: readonly PodRecord[]): readonly PodRecord[] {
  const chosen: PodRecord[] = [];
  for (const pod of held) {
    const hard = pod.constraints.topologySpread.filter((one) => one.whenUnsatisfiable === "DoNotSchedule");
    const isHelped = hard.every(({ topologyKey, maxSkew, labelSelector }) => {
      const isCounted = (other: PodRecord) =>
        other.namespace === pod.namespace && matchesSelector(labelSelector, other.constraints.labels);
      if (topologyKey !== label.hostname) return held.filter(isCounted).length <= maxSkew;
      return [...nominated, ...chosen].filter(isCounted).length < maxSkew;
    });
    if (isHelped) chosen.push(pod);
  }
  return chosen;
}

/** The pods that a claim nominates, themselves or as successors. */
class Nominations {
  readonly #byUid: ReadonlyMap<string, Nomination>;
  readonly #successors: ReadonlySet<string>;

  constructor(claim: NodeClaim) {
    const nominations = nominationsOf(claim);
    this.#byUid = new Map(nominations.map((nomination) => [nomination.uid, nomination]));
    this.#successors = new Set(nominations.map((nomination) => `${nomination.owner}/${nomination.class}`));
  }

  /** A pod whose constraints have changed since it was planned is not the one that was meant. */
  include(pod: PodRecord): boolean {
    const nomination = this.#byUid.get(pod.uid);
    if (nomination !== undefined) return nomination.class === pod.classKey;
    return this.#successors.has(`${pod.owner?.uid ?? ""}/${pod.classKey}`);
  }
}

/** What pods nominated to a node may still take of it. */
class NodeRoom {
  #free: Resources;
  /** The same once all that is terminating has gone. */
  #freeSoon: Resources;

  constructor(node: Node | undefined, bound: readonly PodRecord[], nominated: readonly PodRecord[]) {
    const allocatable = parseResources(node?.status?.allocatable);
    const staying = bound.filter((pod) => pod.deletedAt === undefined);
    const requests = (pods: readonly PodRecord[]) =>
      addResources(...pods.map(({ constraints }) => constraints.requests));
    this.#free = subtractResources(allocatable, requests([...bound, ...nominated]));
    this.#freeSoon = subtractResources(allocatable, requests([...staying, ...nominated]));
    this.isAboutToGrow = staying.length < bound.length;
  }

  readonly isAboutToGrow: boolean;

  /** Whether there is room, which is then taken. */
  take({ constraints: { requests } }: PodRecord, when: "now" | "soon"): boolean {
    if (!fits(requests, when === "now" ? this.#free : this.#freeSoon)) return false;
    this.#free = subtractResources(this.#free, requests);
    this.#freeSoon = subtractResources(this.#freeSoon, requests);
    return true;
  }
}

function cleared(
  own: readonly PodRecord[],
  nodeName: string,
  room: NodeRoom,
  isPastGrace: boolean,
): readonly NominationChange[] {
  if (isPastGrace && !room.isAboutToGrow) {
    return own.map((pod) => ({ kind: "clear", pod, nodeName, why: "the node has been ready for long enough" }));
  }
  return own
    .filter((pod) => !room.take(pod, "soon"))
    .map((pod) => ({ kind: "clear", pod, nodeName, why: "the node is full" }));
}

function added(held: readonly PodRecord[], nodeName: string, room: NodeRoom): readonly NominationChange[] {
  return held
    .filter((pod) => room.take(pod, "now"))
    .map((pod) => ({ kind: "set", pod, nodeName, why: "the node was made for it" }));
}

/** Why no pod is to be nominated to a claim's node, now or later; undefined where pods may be. */
function whyNone(claim: NodeClaim, node: Node | undefined, world: NominationWorld): string | undefined {
  if (!world.nominatePods) return "nominations are switched off";
  if (claim.metadata.deletionTimestamp !== undefined) return "its NodeClaim is being deleted";
  if (node === undefined) return "the node is gone";
  if (isLeaving(node, claim)) return "the node is leaving";
  return node.spec?.unschedulable === true ? "the node is cordoned" : undefined;
}

function takesPods(node: Node | undefined, { opening }: NominationWorld): boolean {
  if (node === undefined) return false;
  if (node.metadata.name === opening) return true;
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  return node.metadata.labels?.[label.initialized] === "true" && ready?.status === "True";
}

/** In kube-scheduler's order: priority, then age. */
function inTurn(a: PodRecord, b: PodRecord): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1);
}
