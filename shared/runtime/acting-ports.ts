import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { karpenterRuns } from "./karpenter-guard.ts";
import { observing } from "./observe.ts";
import { withOwnClasses } from "./own-classes.ts";

/**
 * The ports as a controller may use them in this invocation: without what belongs to other classes, and read-only in observe mode.
 * Undefined: a Karpenter runs, and nothing may be done at all. Every handler goes through here, so that no controller can forget it.
 */
export async function actingPorts<P extends Ports>(
  ports: P,
  { observe, namespace }: Pick<Settings, "observe" | "namespace">,
): Promise<P | undefined> {
  const own: P = { ...ports, kubernetes: withOwnClasses(ports.kubernetes) };
  if (observe) return observing(own, namespace);
  return (await karpenterRuns(ports)) ? undefined : own;
}
