import { label, wellKnownLabels } from "../api/labels.ts";
import type { Taint } from "../api/schema.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import {
  firstConflict,
  firstIncompatibility,
  intersectAll,
  type Requirements,
  requirementsOfLabels,
} from "../scheduling/requirements.ts";
import { addResources, type Resources } from "../scheduling/resources.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { DaemonProfile } from "../state/daemon-profile.ts";

/** What DaemonSets take on a new node. */
export interface NodeDaemons {
  readonly requests: Resources;
  /** Those that run there. */
  readonly daemons: readonly DaemonProfile[];
}

/** What the DaemonSets of a cluster will take on new nodes, by NodePool and instance type (karpenter-core §2.7). */
export class DaemonOverhead {
  readonly #daemons: readonly DaemonProfile[];
  /** By the names of those that run: most nodes have the same, and share the object. */
  readonly #known = new Map<string, NodeDaemons>();

  constructor(daemons: readonly DaemonProfile[]) {
    this.#daemons = daemons;
  }

  /** Startup taints and PreferNoSchedule do not keep a daemon away. */
  of(poolRequirements: Requirements, taints: readonly Taint[], instanceType: InstanceType): NodeDaemons {
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
    if (running.length === 0) return nothing;
    const key = running.map(({ name }) => name).join();
    const known = this.#known.get(key) ?? {
      requests: addResources(...running.map(({ requests }) => requests)),
      daemons: running,
    };
    this.#known.set(key, known);
    return known;
  }
}

const nothing: NodeDaemons = { requests: {}, daemons: [] };

/** Daemons may select nodes by these; every node of ours will carry them. */
const assumedLabels = requirementsOfLabels({ [label.registered]: "true", [label.initialized]: "true" });
