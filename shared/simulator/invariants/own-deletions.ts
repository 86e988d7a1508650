import type { KubernetesObjects } from "../../api/kinds.ts";
import { isKind } from "../object-store.ts";
import { functionUserPrefix } from "../simulated-webhook.ts";
import type { ObservedWorld } from "./invariant.ts";

/**
 * Tells of every deletion and eviction that one of our functions asks for and gets, just before it takes effect: the world is still as
 * it was when the API server agreed. `by` is the function's name.
 */
export function onOwnDeletion<K extends "Pod" | "NodeClaim">(
  world: ObservedWorld,
  kind: K,
  listener: (object: KubernetesObjects[K], by: string) => void,
): void {
  world.cluster.server.addWebhook({
    name: "invariants",
    kind,
    operations: ["DELETE"],
    matches: ({ userInfo }) => userInfo.username.startsWith(functionUserPrefix),
    call: ({ request: { oldObject, userInfo } }) => {
      if (oldObject === null || !isKind(kind, oldObject)) return;
      try {
        listener(oldObject, userInfo.username.slice(functionUserPrefix.length));
      } catch (error) {
        failLoudly(world, error);
      }
    },
  });
}

/** A webhook fails open and in silence; a checker that fails must end the run. */
function failLoudly({ loop }: ObservedWorld, error: unknown): void {
  loop.schedule(0, "invariant", () => {
    throw error;
  });
}
