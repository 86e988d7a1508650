import type { ApiServer } from "./api-server.ts";
import type { EventLoop } from "./event-loop.ts";
import { keyOf } from "./object-store.ts";
import { referenceOf, serviceAccount } from "./owned-pods.ts";
import { ReconcileQueue } from "./reconcile-queue.ts";

const user = serviceAccount("disruption-controller");

/** Writes the status of PodDisruptionBudgets some time after pods changed. Evictions do not rely on it. */
export function startDisruptionController(loop: EventLoop, server: ApiServer): void {
  const queue = new ReconcileQueue({
    loop,
    name: "disruption-controller",
    delayMilliseconds: 200,
    reconcile: (key) => {
      const budget = server.get("PodDisruptionBudget", referenceOf(key));
      if (budget === undefined) return;
      const status = server.budgetStatus(budget);
      server.patch("PodDisruptionBudget", budget.metadata, { status }, { subresource: "status", user });
    },
  });
  server.watch("PodDisruptionBudget", ({ object }) => queue.add(keyOf(object.metadata)));
  server.watch("Pod", ({ object }) => {
    const { namespace = "" } = object.metadata;
    for (const { metadata } of server.list("PodDisruptionBudget", { namespace })) queue.add(keyOf(metadata));
  });
}
