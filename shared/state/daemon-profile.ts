import type { Toleration } from "../api/core.ts";
import type { DaemonSet } from "../api/workloads.ts";
import { formatHostPort, hostPorts } from "../scheduling/host-ports.ts";
import { podRequests } from "../scheduling/pod-requests.ts";
import { nodeAlternatives } from "../scheduling/pod-requirements.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";

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

export function daemonProfile({ metadata, spec: { template } }: DaemonSet): DaemonProfile {
  return {
    name: `${metadata.namespace ?? "default"}/${metadata.name}`,
    requests: podRequests(template.spec),
    alternatives: nodeAlternatives(template.spec),
    tolerations: template.spec.tolerations ?? [],
    hostPorts: hostPorts(template.spec).map(formatHostPort),
  };
}
