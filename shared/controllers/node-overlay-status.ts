import type { OverlayVerdict } from "../cloud/node-overlays.ts";
import type { Ports } from "../ports.ts";
import { overlayVerdicts } from "../provisioning/pool-types.ts";
import { type ConditionChange, changedConditions } from "../state/condition-changes.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { update } from "./optimistic-update.ts";

/**
 * Tells on each NodeOverlay whether it takes effect: Karpenter's conditions ValidationSucceeded and Ready (karpenter-core §1.3). An
 * overlay that says so already is not written; one that changed since the snapshot is left to the next pass.
 */
export async function writeOverlayStatuses(ports: Ports, snapshot: Snapshot, errors: DeferredErrors): Promise<void> {
  for (const verdict of overlayVerdicts(snapshot)) {
    await errors.during(() => writeOverlayStatus(ports, verdict));
  }
}

async function writeOverlayStatus(ports: Ports, { overlay, fault }: OverlayVerdict): Promise<void> {
  const changes = conditionsFor(fault);
  const now = ports.clock.now();
  if (changedConditions(overlay, changes, now) === undefined) return;
  await update(
    ports,
    "NodeOverlay",
    { name: overlay.metadata.name },
    (current) => {
      if (current.metadata.uid !== overlay.metadata.uid) return undefined;
      if (current.metadata.generation !== overlay.metadata.generation) return undefined;
      const conditions = changedConditions(current, changes, now);
      return conditions === undefined ? undefined : { status: { conditions } };
    },
    { subresource: "status" },
  );
}

function conditionsFor(fault: OverlayVerdict["fault"]): readonly ConditionChange[] {
  if (fault === undefined) {
    return [
      { type: "ValidationSucceeded", status: "True", reason: "ValidationSucceeded" },
      { type: "Ready", status: "True", reason: "Ready" },
    ];
  }
  const unready = `ValidationSucceeded=False, ${fault.reason}: ${fault.message}`;
  return [
    { type: "ValidationSucceeded", status: "False", ...fault },
    { type: "Ready", status: "False", reason: "UnhealthyDependents", message: unready },
  ];
}
