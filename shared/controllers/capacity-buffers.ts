import type { CapacityBuffer } from "../api/capacity-buffer.ts";
import type { LimitRange } from "../api/limit-range.ts";
import type { Ports } from "../ports.ts";
import { bufferPlaces } from "../provisioning/buffer-plan.ts";
import type { ProvisioningPlan } from "../provisioning/plan.ts";
import { bufferStatusChange } from "../state/buffer-status.ts";
import {
  type BufferResolution,
  type BufferSource,
  bufferReference,
  isServedBuffer,
  resolveBuffer,
} from "../state/capacity-buffers.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";
import { listIfServed } from "./optional-list.ts";

const callsAtOnce = 8;

/** Reads the buffers and, of PodTemplates and workloads, only what they refer to. A cluster without the CRD has no buffers. */
export async function readBuffers(
  ports: Ports,
  limitRanges: readonly LimitRange[],
): Promise<readonly BufferResolution[]> {
  const buffers = (await listIfServed(ports, "CapacityBuffer")).filter(isServedBuffer);
  return limitedParallel(buffers, callsAtOnce, async (buffer) =>
    resolveBuffer(buffer, await sourceOf(ports, buffer), limitRanges),
  );
}

/** Tells on each buffer's status what it was resolved to and whether the plan found room for it. One that fails stops no other. */
export async function writeBufferStatuses(
  ports: Ports,
  resolutions: readonly BufferResolution[],
  {
    plan,
    snapshot,
    errors,
  }: { readonly plan: ProvisioningPlan; readonly snapshot: Snapshot; readonly errors: DeferredErrors },
): Promise<void> {
  const places = bufferPlaces(plan, snapshot);
  await limitedParallel(resolutions, callsAtOnce, (resolution) =>
    errors.during(() => {
      const { buffer } = resolution;
      const { name, namespace = "default" } = buffer.metadata;
      const found = resolution.kind === "resolved" ? places.get(resolution.resolved.uid) : undefined;
      const change = (current: CapacityBuffer) => {
        const status = bufferStatusChange(current, resolution, found, ports.clock.now());
        return status && { status };
      };
      return update(ports, "CapacityBuffer", { name, namespace }, change, { current: buffer, subresource: "status" });
    }),
  );
}

async function sourceOf({ kubernetes }: Ports, buffer: CapacityBuffer): Promise<BufferSource | undefined> {
  const reference = bufferReference(buffer);
  if (reference.kind === "none") return undefined;
  const { namespace = "default" } = buffer.metadata;
  return kubernetes.get(reference.kind, { name: reference.name, namespace });
}
