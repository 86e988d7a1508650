import type { Node } from "../api/core.ts";
import { annotation, label, taintKey } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { Taint } from "../api/schema.ts";
import type { DaemonSet } from "../api/workloads.ts";
import { firstIncompatibility, requirementsOf, requirementsOfLabels } from "../scheduling/requirements.ts";
import { addResources, parseResources, type Resources, subtractResources } from "../scheduling/resources.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import { isTrue } from "./conditions.ts";
import { type DaemonProfile, daemonProfile } from "./daemon-profile.ts";
import type { PodRecord } from "./pod-record.ts";
import { isDaemonPod } from "./pod-roles.ts";

/** A node as the planner sees it: the Node and its NodeClaim taken together, or a claim whose Node is still to come. */
export interface ClusterNode {
  /** The Node's name, or the claim's while there is no Node. */
  readonly name: string;
  readonly node?: Node;
  readonly nodeClaim?: NodeClaim;
  readonly nodePool?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What a pod must tolerate; of an uninitialized node without its startup and ephemeral taints (karpenter-core §4). */
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** Bound pods, and DaemonSet pods that are still to come. */
  readonly used: Resources;
  /** Host ports of the same, as `ip:port/protocol`. */
  readonly hostPorts: readonly string[];
  readonly pods: readonly PodRecord[];
  readonly initialized: boolean;
  /** Its pods need a new home, and no pod may be planned onto it. */
  readonly leaving: boolean;
  readonly cordoned: boolean;
}

interface World {
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly pods: readonly PodRecord[];
  readonly daemonSets: readonly DaemonSet[];
}

/**
 * Nodes and NodeClaims joined by providerID, initialized ones first, then by name. A claim that is not launched has no room but
 * for the pods it was made for.
 */
export function clusterNodes(world: World): readonly ClusterNode[] {
  const daemons = world.daemonSets.map(daemonProfile);
  const claims = new Map(
    world.nodeClaims.flatMap((claim) => (claim.status?.providerID ? [[claim.status.providerID, claim] as const] : [])),
  );
  const podsByNode = Map.groupBy(
    world.pods.filter((pod) => pod.nodeName !== undefined),
    (pod) => pod.nodeName ?? "",
  );
  const providerIds = new Set(world.nodes.map((node) => node.spec?.providerID));
  const real = world.nodes.map((node) =>
    clusterNode(node, claims.get(node.spec?.providerID ?? ""), podsByNode.get(node.metadata.name) ?? [], daemons),
  );
  const inFlight = world.nodeClaims
    .filter((claim) => !claim.status?.providerID || !providerIds.has(claim.status.providerID))
    .map((claim) => clusterNode(undefined, claim, [], daemons));
  return [...real, ...inFlight].sort(
    (a, b) => Number(b.initialized) - Number(a.initialized) || (a.name < b.name ? -1 : 1),
  );
}

function clusterNode(
  node: Node | undefined,
  claim: NodeClaim | undefined,
  pods: readonly PodRecord[],
  daemons: readonly DaemonProfile[],
): ClusterNode {
  const initialized = claim === undefined ? node !== undefined : isTrue(claim, "Initialized");
  const name = node?.metadata.name ?? claim?.metadata.name ?? "";
  const labels = { ...(initialized ? {} : claimLabels(claim)), ...node?.metadata.labels };
  const taints = effectiveTaints(node, claim, initialized);
  const daemonsToCome = expectedDaemons(daemons, labels, taints, pods);
  const nodePool = labels[label.nodePool];
  return {
    name,
    labels: { [label.hostname]: name, ...labels },
    taints,
    capacity: initializedOr(node?.status?.capacity, claim?.status?.capacity, initialized),
    allocatable: initializedOr(node?.status?.allocatable, claim?.status?.allocatable, initialized),
    used: addResources(...pods.map((pod) => pod.constraints.requests), daemonsToCome.requests),
    hostPorts: [...pods.flatMap((pod) => pod.constraints.hostPorts), ...daemonsToCome.hostPorts],
    pods,
    initialized,
    leaving: isLeaving(node, claim),
    cordoned: node?.spec?.unschedulable ?? false,
    ...(node === undefined ? {} : { node }),
    ...(claim === undefined ? {} : { nodeClaim: claim }),
    ...(nodePool === undefined ? {} : { nodePool }),
  };
}

/** Before the Node is there, a claim's single-valued requirements are the labels it will have. */
function claimLabels(claim: NodeClaim | undefined): Readonly<Record<string, string>> {
  if (claim === undefined) return {};
  const single = [...requirementsOf(claim.spec.requirements).values()]
    .filter((requirement) => !requirement.complement && requirement.values.size === 1)
    .map((requirement) => [requirement.key, [...requirement.values].join()]);
  return { ...Object.fromEntries(single), ...claim.metadata.labels };
}

/** The kubelet reports zeros until its device plugins are up: until then the claim's figures fill them. */
function initializedOr(
  real: Readonly<Record<string, string>> | undefined,
  promised: Readonly<Record<string, string>> | undefined,
  initialized: boolean,
): Resources {
  const reported = parseResources(real);
  if (initialized) return reported;
  const nonZero = Object.entries(reported).filter(([, amount]) => amount > 0);
  return { ...parseResources(promised), ...Object.fromEntries(nonZero) };
}

function effectiveTaints(node: Node | undefined, claim: NodeClaim | undefined, initialized: boolean): readonly Taint[] {
  const taints = node?.spec?.taints ?? claim?.spec.taints ?? [];
  if (initialized || claim === undefined) return taints;
  const startup = new Set((claim.spec.startupTaints ?? []).map((taint) => `${taint.key}:${taint.effect}`));
  return taints.filter((taint) => !isEphemeral(taint) && !startup.has(`${taint.key}:${taint.effect}`));
}

const ephemeralTaintKeys: ReadonlySet<string> = new Set([
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
  "node.cloudprovider.kubernetes.io/uninitialized",
  taintKey.unregistered,
]);

/** Taints that a starting node loses by itself (karpenter-core §1.6). */
export function isEphemeral(taint: Taint): boolean {
  return ephemeralTaintKeys.has(taint.key) || taint.key.startsWith("readiness.k8s.io/");
}

function isLeaving(node: Node | undefined, claim: NodeClaim | undefined): boolean {
  return (
    node?.metadata.deletionTimestamp !== undefined ||
    claim?.metadata.deletionTimestamp !== undefined ||
    node?.metadata.annotations?.[annotation.replace] !== undefined ||
    (node?.spec?.taints?.some((taint) => taint.key === taintKey.disrupted) ?? false)
  );
}

interface DaemonsToCome {
  readonly requests: Resources;
  readonly hostPorts: readonly string[];
}

/** What DaemonSets will still take: all that match this node, less those whose pods are here, never below zero. */
function expectedDaemons(
  daemons: readonly DaemonProfile[],
  labels: Readonly<Record<string, string>>,
  taints: readonly Taint[],
  pods: readonly PodRecord[],
): DaemonsToCome {
  const nodeRequirements = requirementsOfLabels(labels);
  const here = pods.filter(isDaemonPod);
  const expected = daemons.filter(
    ({ tolerations, alternatives }) =>
      firstUntolerated(taints, tolerations) === undefined &&
      alternatives.some((wanted) => firstIncompatibility(nodeRequirements, wanted, new Set()) === undefined),
  );
  const missing = subtractResources(
    addResources(...expected.map(({ requests }) => requests)),
    addResources(...here.map((pod) => pod.constraints.requests)),
  );
  const owners = new Set(here.map((pod) => `${pod.namespace}/${pod.owner?.name}`));
  return {
    requests: Object.fromEntries(Object.entries(missing).filter(([, amount]) => amount > 0)),
    hostPorts: expected.filter(({ name }) => !owners.has(name)).flatMap(({ hostPorts }) => hostPorts),
  };
}
