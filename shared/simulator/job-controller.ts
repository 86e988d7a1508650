import type { Job } from "../api/workloads.ts";
import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { keyOf } from "./object-store.ts";
import { controllerOf, createPod, type OwnedPods, referenceOf, serviceAccount } from "./owned-pods.ts";
import { isActive } from "./pod-status.ts";
import { ReconcileQueue } from "./reconcile-queue.ts";

const user = serviceAccount("job-controller");

/**
 * Runs the pods of Jobs until enough have succeeded (kubelet.ts says when one does). Evicted and failed pods are replaced. Left out:
 * indexed Jobs, `backoffLimit`, deadlines and the time to live.
 */
export function startJobController(loop: EventLoop, server: ApiServer, ownedPods: OwnedPods): void {
  const succeeded = new Map<string, Set<string>>();
  const queue = new ReconcileQueue({
    loop,
    name: "job-controller",
    delayMilliseconds: 20,
    reconcile: (key) => reconcile(server, ownedPods, key, succeeded),
  });
  server.watch("Job", ({ type, object }) => {
    if (type === "DELETED") succeeded.delete(object.metadata.uid ?? "");
    else queue.add(keyOf(object.metadata));
  });
  server.watch("Pod", ({ object }) => {
    const owner = controllerOf(object);
    if (owner?.kind !== "Job") return;
    queue.add(keyOf({ ...object.metadata, name: owner.name }));
    if (object.status?.phase !== "Succeeded") return;
    // Counted once and for good: the pod may be gone before the Job has done.
    succeeded.set(owner.uid, (succeeded.get(owner.uid) ?? new Set()).add(object.metadata.uid ?? ""));
  });
}

function reconcile(
  server: ApiServer,
  ownedPods: OwnedPods,
  key: string,
  succeeded: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const job = server.get("Job", referenceOf(key));
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
  const done = succeeded.get(job.metadata.uid ?? "")?.size ?? 0;
  const active = ownedPods.of(job.metadata).filter(isActive);
  const wanted = wantedPods(job, active.length, done);
  for (let missing = wanted - active.length; missing > 0; missing--) {
    createPod(server, job, { labels: { "batch.kubernetes.io/job-name": job.metadata.name } }, user);
  }
  for (const pod of active.slice(wanted)) server.delete("Pod", pod.metadata, { user });
}

/** A Job with a parallelism but no completions is a work queue: the first success means that nothing new is started. */
function wantedPods({ spec }: Job, active: number, done: number): number {
  if (spec.suspend === true) return 0;
  const parallelism = spec.parallelism ?? 1;
  if (spec.completions === undefined && spec.parallelism !== undefined) return done > 0 ? active : parallelism;
  return Math.min(parallelism, Math.max(0, (spec.completions ?? 1) - done));
}
