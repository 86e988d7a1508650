import type { Node, Pod } from "../api/core.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { metric } from "../metrics.ts";
import { type MergePatch, type Ports, ProviderError } from "../ports.ts";
import { awaitedNodes } from "../state/awaited-nodes.ts";
import { transitionedAt } from "../state/conditions.ts";
import { type NominationChange, type NominationWorld, nominationChanges } from "../state/nominated-nodes.ts";
import { nominationsOf } from "../state/nominations.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import type { Settings } from "../state/settings.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";

/**
 * Writes `status.nominatedNodeName` of pods, so that kube-scheduler puts them where the plan has them (design §4.2, §5). A nomination
 * is an aid: what cannot be written is counted and logged, and stops nothing. Every write is conditional on the pod as it was read,
 * so that what somebody else sets in the meantime stays.
 */

const writesAtOnce = 25;
const mostLooks = 50;

interface Scope {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly claims: readonly NodeClaim[];
}

/** What has been nominated to one node, and the pods as they were read. */
export interface Opening {
  readonly claim: NodeClaim;
  readonly node: Node;
  readonly set: readonly NominationChange[];
  readonly pods: readonly Pod[];
  /** NodeClaims whose nodes it had better wait for; nothing is nominated then. */
  readonly awaited: readonly string[];
}

/** From when a node has registered it waits no longer than this for others. */
const mostMillisecondsForOthers = 90_000;

/**
 * Nominates a claim's pending pods to its node, which is about to take pods. An attempt that kube-scheduler makes before the node is
 * open clears the nomination, but then the pod backs off: so this looks until a look finds nothing cleared, after which little is.
 */
export async function nominateForOpening(scope: Scope, claim: NodeClaim, node: Node): Promise<Opening> {
  const { name } = node.metadata;
  if (!scope.settings.nominatePods || nominationsOf(claim).length === 0)
    return { claim, node, set: [], pods: [], awaited: [] };
  const pods = concerned(claim, await podsBy(scope.ports, "spec.nodeName=", `spec.nodeName=${name}`));
  const awaited = await nodesToWaitFor(scope, claim, pods);
  if (awaited.length > 0) return { claim, node, set: [], pods: [], awaited };
  let set = changesForOpening(scope, claim, node, pods);
  let unset = set;
  for (let look = 1; unset.length > 0 && look <= mostLooks; look++) {
    const failed = new Set(await write(scope.ports, unset, look === 1 ? pods : []));
    set = set.filter((change) => !failed.has(change));
    const standing = new Set((await podsBy(scope.ports, nominatedTo(name))).map(({ metadata }) => metadata.uid));
    unset = set.filter(({ pod }) => !standing.has(pod.uid));
  }
  return { claim, node, set, pods, awaited: [] };
}

async function nodesToWaitFor(
  { ports, claims }: Scope,
  claim: NodeClaim,
  pods: readonly Pod[],
): Promise<readonly string[]> {
  if (!pods.some(({ spec }) => (spec.topologySpreadConstraints ?? []).length > 0)) return [];
  const registeredAt = transitionedAt(claim, "Registered") ?? ports.clock.now();
  if (ports.clock.now() - registeredAt > mostMillisecondsForOthers) return [];
  const decoder = new PodDecoder();
  return awaitedNodes(
    claim,
    claims,
    await ports.kubernetes.list("Node"),
    pods.map((pod) => decoder.decode(pod)),
  );
}

/** Of many pending pods those that may be meant, and the pods that are on nodes. */
function concerned(claim: NodeClaim, pods: readonly Pod[]): readonly Pod[] {
  const nominations = nominationsOf(claim);
  const uids = new Set(nominations.map(({ uid }) => uid));
  const found = new Set(pods.map(({ metadata }) => metadata.uid));
  const replaced = new Set(nominations.filter(({ uid }) => !found.has(uid)).map(({ owner }) => owner));
  return pods.filter(({ metadata: { uid, ownerReferences = [] }, spec }) => {
    if (spec.nodeName !== undefined || uids.has(uid ?? "")) return true;
    return ownerReferences.length === 0 ? replaced.has("") : ownerReferences.some((owner) => replaced.has(owner.uid));
  });
}

/** Sets again what was cleared before the node was open, as far as there is still room. */
export async function nominateAgain(scope: Scope, { claim, node, set, pods }: Opening): Promise<void> {
  if (set.length === 0) return;
  const { name } = node.metadata;
  const there = await podsBy(scope.ports, nominatedTo(name), `spec.nodeName=${name}`);
  const found = new Set(there.map(({ metadata }) => metadata.uid));
  const wanted = new Set(set.map(({ pod }) => pod.uid));
  const missing = pods.filter(({ metadata: { uid } }) => wanted.has(uid ?? "") && !found.has(uid));
  if (missing.length === 0) return;
  await write(scope.ports, changesForOpening(scope, claim, node, [...there, ...missing]), []);
}

/** Takes back the nominations to the node of a claim that is being deleted. */
export async function withdrawNominations(ports: Ports, settings: Settings, claim: NodeClaim): Promise<void> {
  const { nodeName } = claim.status ?? {};
  if (nodeName === undefined || nominationsOf(claim).length === 0) return;
  const pods = await podsBy(ports, nominatedTo(nodeName));
  await write(ports, changesOf(ports, settings, { nodeClaims: [claim], nodes: [], pods }), pods);
}

/**
 * Brings the nominations of all claims up to date; returns whether some were taken back, whose pods nobody has a place for then. What
 * may be gone is read before the proof that it is there (design rule 8): claims, then pods, then nodes.
 */
export async function sweepNominations(
  { ports, settings, claims }: Scope,
  pods: readonly Pod[],
): Promise<{ readonly cleared: boolean }> {
  if (!claims.some((claim) => nominationsOf(claim).length > 0)) return { cleared: false };
  const nodes = await ports.kubernetes.list("Node");
  const changes = changesOf(ports, settings, { nodeClaims: claims, nodes, pods });
  await write(ports, changes, pods);
  return { cleared: changes.some(({ kind }) => kind === "clear") };
}

function changesForOpening(
  { ports, settings, claims }: Scope,
  claim: NodeClaim,
  node: Node,
  pods: readonly Pod[],
): readonly NominationChange[] {
  const { name } = node.metadata;
  const withNode = { ...claim, status: { ...claim.status, nodeName: name } };
  const others = claims.filter(({ metadata }) => metadata.name !== claim.metadata.name);
  const changes = changesOf(ports, settings, { nodeClaims: [...others, withNode], nodes: [node], pods, opening: name });
  // Only this node and its pods have been read.
  return changes.filter(({ kind, nodeName }) => kind === "set" && nodeName === name);
}

/** Each pod once: before Kubernetes 1.35 a pod that has been bound may still name the node that it was nominated to. */
async function podsBy(ports: Ports, ...fieldSelectors: readonly string[]): Promise<readonly Pod[]> {
  const lists = fieldSelectors.map((fieldSelector) => ports.kubernetes.list("Pod", { fieldSelector }));
  const found = (await Promise.all(lists)).flat();
  return [...new Map(found.map((pod) => [pod.metadata.uid, pod])).values()];
}

function nominatedTo(nodeName: string): string {
  return `status.nominatedNodeName=${nodeName}`;
}

type Read = Pick<NominationWorld, "nodeClaims" | "nodes" | "opening"> & { readonly pods: readonly Pod[] };

function changesOf(ports: Ports, { nominatePods }: Settings, { pods, ...read }: Read): readonly NominationChange[] {
  const decoder = new PodDecoder();
  const records = pods.map((pod) => decoder.decode(pod));
  return nominationChanges({ ...read, pods: records, now: ports.clock.now(), nominatePods });
}

/** Returns the changes that could not be made. */
async function write(
  ports: Ports,
  changes: readonly NominationChange[],
  read: readonly Pod[],
): Promise<readonly NominationChange[]> {
  const readByUid = new Map(read.map((pod) => [pod.metadata.uid ?? "", pod]));
  const written = await limitedParallel(changes, writesAtOnce, async (change) => {
    const { name, namespace, uid } = change.pod;
    const current = readByUid.get(uid);
    const options = { subresource: "status", ...(current && { current }) } as const;
    try {
      const pod = await update(ports, "Pod", { name, namespace }, (pod) => patchOf(pod, change), options);
      return (pod?.status?.nominatedNodeName === change.nodeName) === (change.kind === "set");
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      ports.telemetry.count(metric.nominationFailures, 1, { code: error.code });
      const fields = { pod: `${namespace}/${name}`, node: change.nodeName, code: error.code, message: error.message };
      ports.telemetry.log("warn", "nomination not written; the next sweep tries again", fields);
      return false;
    }
  });
  return changes.filter((_, index) => written[index] === false);
}

/** Undefined where the pod is not as it was when this was decided: another pod, bound, or nominated by somebody else. */
function patchOf({ metadata, spec, status }: Pod, change: NominationChange): MergePatch | undefined {
  if (metadata.uid !== change.pod.uid || spec.nodeName !== undefined || metadata.deletionTimestamp !== undefined) {
    return undefined;
  }
  switch (change.kind) {
    case "set":
      return status?.nominatedNodeName ? undefined : { status: { nominatedNodeName: change.nodeName } };
    case "clear":
      return status?.nominatedNodeName === change.nodeName ? { status: { nominatedNodeName: null } } : undefined;
  }
}
