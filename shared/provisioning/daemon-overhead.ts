import { label, wellKnownLabels } from "../api/labels.ts";
import type { Taint } from "../api/schema.ts";
import type { DaemonSet } from "../api/workloads.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import { podRequests } from "../scheduling/pod-requests.ts";
import { nodeAlternatives } from "../scheduling/pod-requirements.ts";
import {
  firstConflict,
  firstIncompatibility,
  intersectAll,
  type Requirements,
  requirementsOfLabels,
} from "../scheduling/requirements.ts";
import { addResources, type Resources } from "../scheduling/resources.ts";
import { firstUntolerated } from "../scheduling/taints.ts";

interface Daemon {
  readonly requests: Resources;
  readonly alternatives: readonly Requirements[];
  readonly tolerations: Parameters<typeof firstUntolerated>[1];
}

/** What the DaemonSets of a cluster will take on new nodes, by NodePool and instance type (karpenter-core §2.7). */
export class DaemonOverhead {
  readonly #daemons: readonly Daemon[];

  constructor(daemonSets: readonly DaemonSet[]) {
    this.#daemons = daemonSets.map(({ spec: { template } }) => ({
      requests: podRequests(template.spec),
      alternatives: nodeAlternatives(template.spec),
      tolerations: template.spec.tolerations ?? [],
    }));
  }

  /** Startup taints and PreferNoSchedule do not keep a daemon away. */
  of(poolRequirements: Requirements, taints: readonly Taint[], instanceType: InstanceType): Resources {
    const node = intersectAll(poolRequirements, assumedLabels);
    const running = this.#daemons.filter(
      (daemon) =>
        firstUntolerated(taints, daemon.tolerations) === undefined &&
        daemon.alternatives.some(
          (wanted) =>
            firstIncompatibility(node, wanted, wellKnownLabels) === undefined &&
            firstConflict(instanceType.requirements, wanted) === undefined,
        ),
    );
    return running.length === 0 ? nothing : addResources(...running.map((daemon) => daemon.requests));
  }
}

const nothing: Resources = {};

/** Daemons may select nodes by these; every node of ours will carry them. */
const assumedLabels = requirementsOfLabels({ [label.registered]: "true", [label.initialized]: "true" });
