import { withoutBufferPods } from "../shared/provisioning/buffer-plan.ts";
import type { ProvisioningPlan } from "../shared/provisioning/plan.ts";
import { overlayVerdicts } from "../shared/provisioning/pool-types.ts";
import { planProvisioning } from "../shared/provisioning/scheduler.ts";
import { planStaticCapacity, withStaticCapacity } from "../shared/provisioning/static-capacity.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { deferredBufferNotes, unplacedBufferNotes } from "./file-buffers.ts";
import { mostStaticNodes } from "./static-sizes.ts";
import { counted } from "./wording.ts";

/** All that would be launched for a cluster: nodes of static NodePools, which are there for no pod of their own, and those for pods. */
export function offlinePlan(snapshot: Snapshot): {
  readonly plan: ProvisioningPlan;
  /** What is short of what is asked for, and no pod waits for. */
  readonly notes: readonly string[];
} {
  const pods = planProvisioning(snapshot);
  const fixed = planStaticCapacity(snapshot, mostStaticNodes);
  const shortfalls = fixed.shortfalls.map(
    ({ nodePool, nodes, reason }) => `static NodePool ${nodePool} is ${counted(nodes, "node")} short: ${reason}`,
  );
  return {
    plan: withStaticCapacity(withoutBufferPods(pods), fixed),
    notes: [
      ...rejectedOverlays(snapshot),
      ...unplacedBufferNotes(pods.unschedulable),
      ...deferredBufferNotes(pods, snapshot),
      ...shortfalls,
    ],
  };
}

function rejectedOverlays(snapshot: Snapshot): readonly string[] {
  return overlayVerdicts(snapshot).flatMap(({ overlay, fault }) =>
    fault === undefined ? [] : [`NodeOverlay ${overlay.metadata.name} has no effect: ${fault.message}`],
  );
}
