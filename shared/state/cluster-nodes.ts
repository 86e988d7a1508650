import type { Node } from "../api/core.ts";
import { annotation, label, taintKey } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { ResourceList, Taint } from "../api/schema.ts";
import { firstIncompatibility, requirementsOf, requirementsOfLabels } from "../scheduling/requirements.ts";
import { addResources, fits, parseResources, type Resources, subtractResources } from "../scheduling/resources.ts";
import { firstUntolerated, mergeTaints } from "../scheduling/taints.ts";
import { AttachLimits, type AttachLimitWorld } from "./attach-limits.ts";
import type { StorageObjects } from "./claim-states.ts";
import { isTrue } from "./conditions.ts";
import { type DaemonProfile, daemonOf, daemonProfiles } from "./daemon-profile.ts";
import { nominationsOf } from "./nominations.ts";
import type { PodRecord } from "./pod-record.ts";
import { hasEnded } from "./pod-roles.ts";
import type { Snapshot } from "./snapshot.ts";
import { VolumeWorld } from "./volume-needs.ts";

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
  /** Volumes of pods that it can attach, by CSI driver. A driver that is missing has no limit. */
  readonly attachLimits: ReadonlyMap<string, number>;
  /** Claims (`namespace/name`) of its pods by the driver that attaches their volumes. */
  readonly attached: ReadonlyMap<string, ReadonlySet<string>>;
  readonly initialized: boolean;
  /** Its pods need a new home, and no pod may be planned onto it. */
  readonly leaving: boolean;
}

type World = Pick<Snapshot, "nodes" | "nodeClaims" | "pods" | "daemonSets"> & AttachLimitWorld & StorageObjects;

/** What is worked out once for all nodes. */
interface Shared {
  readonly daemons: readonly DaemonProfile[];
  readonly volumes: VolumeWorld;
  readonly attachLimits: AttachLimits;
}

/**
 * Nodes and NodeClaims joined by providerID, initialized ones first, then by name. A claim that is not launched has no room but
 * for the pods it was made for, or what it asks for itself.
 */
export function clusterNodes(world: World, volumes = new VolumeWorld(world)): readonly ClusterNode[] {
  const shared = { daemons: daemonProfiles(world), volumes, attachLimits: new AttachLimits(world) };
  const claims = new Map(
    world.nodeClaims.flatMap((claim) => (claim.status?.providerID ? [[claim.status.providerID, claim] as const] : [])),
  );
  const podsByNode = Map.groupBy(
    world.pods.filter((pod) => pod.nodeName !== undefined && !hasEnded(pod)),
    (pod) => pod.nodeName ?? "",
  );
  const providerIds = new Set(world.nodes.map((node) => node.spec?.providerID));
  const real = world.nodes.map((node) =>
    clusterNode(node, claims.get(node.spec?.providerID ?? ""), podsByNode.get(node.metadata.name) ?? [], shared),
  );
  const inFlight = world.nodeClaims
    .filter((claim) => !claim.status?.providerID || !providerIds.has(claim.status.providerID))
    .map((claim) => clusterNode(undefined, claim, [], shared));
  return [...real, ...inFlight].sort(
    (a, b) => Number(b.initialized) - Number(a.initialized) || (a.name < b.name ? -1 : 1),
  );
}

function clusterNode(
  node: Node | undefined,
  claim: NodeClaim | undefined,
  pods: readonly PodRecord[],
  { daemons, volumes, attachLimits }: Shared,
): ClusterNode {
  const initialized = claim === undefined ? node !== undefined : isTrue(claim, "Initialized");
  const name = node?.metadata.name ?? claim?.metadata.name ?? "";
  const labels = { ...(initialized && node !== undefined ? {} : claimLabels(claim)), ...node?.metadata.labels };
  const taints = effectiveTaints(node, claim, initialized);
  const isStarting = claim !== undefined && !initialized;
  const allocatable = initializedOr(node?.status?.allocatable, promisedBy(claim), initialized);
  // One that is larger than the whole node never comes.
  const fitting = daemons.filter(({ requests }) => fits(requests, allocatable));
  const daemonsToCome = expectedDaemons(fitting, isStarting ? { ...labels, ...startedLabels } : labels, taints, pods);
  const nodePool = labels[label.nodePool];
  return {
    name,
    labels: { [label.hostname]: name, ...labels },
    taints,
    // An instance whose Node is gone is there all the same.
    capacity: initializedOr(node?.status?.capacity, claim?.status?.capacity, initialized && node !== undefined),
    allocatable,
    used: addResources(...pods.map((pod) => pod.constraints.requests), daemonsToCome.requests),
    hostPorts: [...pods.flatMap((pod) => pod.constraints.hostPorts), ...daemonsToCome.hostPorts],
    pods,
    attachLimits: attachLimits.of(name, labels),
    attached: attachedClaims(pods, volumes),
    initialized,
    leaving: isLeaving(node, claim),
    ...(node === undefined ? {} : { node }),
    ...(claim === undefined ? {} : { nodeClaim: claim }),
    ...(nodePool === undefined ? {} : { nodePool }),
  };
}

function attachedClaims(pods: readonly PodRecord[], volumes: VolumeWorld): ReadonlyMap<string, ReadonlySet<string>> {
  const attachments = pods.flatMap((pod) => volumes.attachmentsOf(pod));
  const byDriver = Map.groupBy(attachments, ({ driver }) => driver);
  return new Map([...byDriver].map(([driver, each]) => [driver, new Set(each.map(({ claim }) => claim))]));
}

/** Before the Node is there, a claim's single-valued requirements are the labels it will have. */
function claimLabels(claim: NodeClaim | undefined): Readonly<Record<string, string>> {
  if (claim === undefined) return {};
  const single = [...requirementsOf(claim.spec.requirements).values()]
    .filter((requirement) => !requirement.complement && requirement.values.size === 1)
    .map((requirement) => [requirement.key, [...requirement.values].join()]);
  return { ...Object.fromEntries(single), ...claim.metadata.labels };
}

/**
 * What a claim's node will have for pods. One that is not launched and was made for no pods of ours (by a person, say) will have at
 * least what it asks for, and one pod.
 */
function promisedBy(claim: NodeClaim | undefined): ResourceList | undefined {
  const { status, spec } = claim ?? {};
  if (claim === undefined || status?.allocatable !== undefined) return status?.allocatable;
  const { requests } = spec?.resources ?? {};
  return requests === undefined || nominationsOf(claim).length > 0 ? undefined : { pods: "1", ...requests };
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

/** What a starting node will carry in a moment: DaemonSets may wait for it. */
const startedLabels = { [label.registered]: "true", [label.initialized]: "true" } as const;

/** The taint of a cordoned node, whether or not it is there yet: a pod may tolerate it (kube-scheduler's NodeUnschedulable). */
const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

function effectiveTaints(node: Node | undefined, claim: NodeClaim | undefined, initialized: boolean): readonly Taint[] {
  // Registration brings the claim's taints to the node (karpenter-core §4).
  const toCome = claim === undefined || isTrue(claim, "Registered") ? [] : (claim.spec.taints ?? []);
  const stated = mergeTaints(node?.spec?.taints ?? claim?.spec.taints ?? [], toCome);
  const taints = node?.spec?.unschedulable ? mergeTaints(stated, [unschedulableTaint]) : stated;
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

/** Whether a node's pods need a new home, and none may be planned onto it. */
export function isLeaving(node: Node | undefined, claim: NodeClaim | undefined): boolean {
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

/** What DaemonSets will still take: of each that suits this node, what its pods here have not taken. */
function expectedDaemons(
  daemons: readonly DaemonProfile[],
  labels: Readonly<Record<string, string>>,
  taints: readonly Taint[],
  pods: readonly PodRecord[],
): DaemonsToCome {
  const nodeRequirements = requirementsOfLabels(labels);
  const missing = daemons
    .filter(
      ({ tolerations, alternatives }) =>
        firstUntolerated(taints, tolerations) === undefined &&
        alternatives.some((wanted) => firstIncompatibility(nodeRequirements, wanted, new Set()) === undefined),
    )
    .map((daemon) => {
      const here = pods.filter((pod) => daemonOf(pod) === daemon.name);
      const left = subtractResources(daemon.requests, addResources(...here.map((pod) => pod.constraints.requests)));
      return {
        requests: Object.fromEntries(Object.entries(left).filter(([, amount]) => amount > 0)),
        hostPorts: here.length > 0 ? [] : daemon.hostPorts,
      };
    });
  return {
    requests: addResources(...missing.map(({ requests }) => requests)),
    hostPorts: missing.flatMap(({ hostPorts }) => hostPorts),
  };
}
