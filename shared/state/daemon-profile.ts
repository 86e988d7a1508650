import type { PodSpec, Toleration } from "../api/core.ts";
import type { DaemonSet } from "../api/workloads.ts";
import { formatHostPort, hostPorts } from "../scheduling/host-ports.ts";
import { podRequests } from "../scheduling/pod-requests.ts";
import { nodeAlternatives } from "../scheduling/pod-requirements.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodRecord } from "./pod-record.ts";
import { hasEnded, isDaemonPod } from "./pod-roles.ts";

/** What decides on which nodes a DaemonSet runs, and what its pod takes there. */
export interface DaemonProfile {
  /** `namespace/name`. */
  readonly name: string;
  readonly requests: Resources;
  readonly alternatives: readonly Requirements[];
  readonly tolerations: readonly Toleration[];
  /** As `ip:port/protocol`. */
  readonly hostPorts: readonly string[];
}

/**
 * Profiles of all DaemonSets. What a pod takes is read from the newest of its pods, because admission may have changed it, else from the
 * template; where it runs always from the template, because each pod is pinned to its node (karpenter-core §2.7).
 */
export function daemonProfiles(world: {
  readonly daemonSets: readonly DaemonSet[];
  readonly pods: readonly PodRecord[];
}): readonly DaemonProfile[] {
  const newest = new Map<string, PodRecord>();
  for (const pod of world.pods) {
    const name = daemonOf(pod);
    if (name === undefined || pod.deletedAt !== undefined || hasEnded(pod)) continue;
    const known = newest.get(name);
    if (known === undefined || isNewer(pod, known)) newest.set(name, pod);
  }
  return world.daemonSets.map((daemonSet) => {
    const name = `${daemonSet.metadata.namespace ?? "default"}/${daemonSet.metadata.name}`;
    return daemonProfile(name, daemonSet.spec.template.spec, newest.get(name)?.constraints.spec);
  });
}

/** `namespace/name` of the DaemonSet that a pod belongs to. */
export function daemonOf(pod: PodRecord): string | undefined {
  return isDaemonPod(pod) ? `${pod.namespace}/${pod.owner?.name}` : undefined;
}

function daemonProfile(name: string, template: PodSpec, live: PodSpec = template): DaemonProfile {
  return {
    name,
    requests: podRequests(live),
    alternatives: nodeAlternatives(template),
    tolerations: [...(template.tolerations ?? []), ...daemonTolerations],
    hostPorts: hostPorts(live).map(formatHostPort),
  };
}

function isNewer(a: PodRecord, b: PodRecord): boolean {
  return a.createdAt === b.createdAt ? a.name > b.name : a.createdAt > b.createdAt;
}

/** What the DaemonSet controller lets each of its pods tolerate. */
const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
