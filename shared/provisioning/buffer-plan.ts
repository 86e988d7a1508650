import { isBufferPod } from "../state/buffer-pods.ts";
import type { BufferPlaces } from "../state/buffer-status.ts";
import { isTrue } from "../state/conditions.ts";
import { nominationsOf } from "../state/nominations.ts";
import { type PodRecord, podName } from "../state/pod-record.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { ProvisioningPlan } from "./plan.ts";
import { planProvisioning } from "./scheduler.ts";

/** The plan without the pods of buffers that it found no place for: nobody waits for those. */
export function withoutBufferPods(plan: ProvisioningPlan): ProvisioningPlan {
  return {
    ...plan,
    unschedulable: plan.unschedulable.filter(({ pod }) => !isBufferPod(pod)),
    waiting: plan.waiting.filter(({ pod }) => !isBufferPod(pod)),
  };
}

/** Where a plan has the pods of each buffer, by the buffer's UID; those that a claim keeps a place for are where that claim is. */
export function bufferPlaces(plan: ProvisioningPlan, snapshot: Snapshot): ReadonlyMap<string, BufferPlaces> {
  const ready = new Set(
    snapshot.nodeClaims
      .filter((claim) => isTrue(claim, "Initialized"))
      .flatMap((claim) => nominationsOf(claim).map(({ uid }) => uid)),
  );
  const held = plan.waiting.map(({ pod }) => pod).filter(isBufferPod);
  const existing = byBuffer([
    ...plan.existing.flatMap(({ pods }) => pods),
    ...held.filter(({ uid }) => ready.has(uid)),
  ]);
  const launching = byBuffer([
    ...plan.nodeClaims.flatMap(({ pods }) => pods),
    ...held.filter(({ uid }) => !ready.has(uid)),
  ]);
  const unplaced = Map.groupBy(plan.unschedulable, ({ pod }) => bufferOf(pod));
  return new Map(
    snapshot.capacityBuffers.map(({ uid, replicas }) => {
      const refusals = (unplaced.get(uid) ?? []).map(({ reasons }) => reasons.map(reasonText).join(", "));
      const [fitting, launched] = [existing.get(uid)?.length ?? 0, launching.get(uid)?.length ?? 0];
      const deferred = Math.max(0, replicas - fitting - launched - refusals.length);
      return [uid, { existing: fitting, launching: launched, refusals, deferred }];
    }),
  );
}

/** Nodes on which pods of buffers have their places: they are not empty, although nothing runs there. `namespace/name` of the buffer by node. */
export function bufferHosts(snapshot: Snapshot): ReadonlyMap<string, string> {
  if (snapshot.capacityBuffers.length === 0) return new Map();
  const placed = planProvisioning(snapshot).existing.flatMap(({ name, pods }) => pods.map((pod) => ({ name, pod })));
  return new Map(
    placed
      .filter(({ pod }) => isBufferPod(pod))
      .map(({ name, pod }) => [name, podName({ namespace: pod.namespace, name: pod.owner?.name ?? "" })]),
  );
}

function byBuffer(pods: readonly PodRecord[]): ReadonlyMap<string | undefined, readonly PodRecord[]> {
  return Map.groupBy(pods, bufferOf);
}

function bufferOf(pod: PodRecord): string | undefined {
  return isBufferPod(pod) ? pod.owner?.uid : undefined;
}

function reasonText({ nodePool, reason }: { readonly nodePool: string; readonly reason: string }): string {
  return nodePool === "" ? reason : `${nodePool}: ${reason}`;
}
