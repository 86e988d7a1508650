import { withoutBufferPods } from "../shared/provisioning/buffer-plan.ts";
import type { ProvisioningPlan } from "../shared/provisioning/plan.ts";
import { planProvisioning } from "../shared/provisioning/scheduler.ts";
import { planStaticCapacity, withStaticCapacity } from "../shared/provisioning/static-capacity.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { unplacedBufferNotes } from "./file-buffers.ts";
import { counted } from "./wording.ts";

/** All that would be launched for a cluster: nodes of static NodePools, which are there for no pod of their own, and those for pods. */
export function offlinePlan(snapshot: Snapshot): {
  readonly plan: ProvisioningPlan;
  /** What is short of what is asked for, and no pod waits for. */
  readonly notes: readonly string[];
} {
  const pods = planProvisioning(snapshot);
  const fixed = planStaticCapacity(snapshot);
  const shortfalls = fixed.shortfalls.map(
    ({ nodePool, nodes, reason }) => `static NodePool ${nodePool} is ${counted(nodes, "node")} short: ${reason}`,
  );
  return {
    plan: withStaticCapacity(withoutBufferPods(pods), fixed),
    notes: [...unplacedBufferNotes(pods.unschedulable), ...shortfalls],
  };
}
