import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { classifyStateReason } from "../cloud/ec2-errors.ts";
import { markUnavailable } from "../cloud/unavailable-offerings.ts";
import { metric } from "../metrics.ts";
import type { Ec2Instance, Ports } from "../ports.ts";
import { isTrue } from "../state/conditions.ts";
import type { Settings } from "../state/settings.ts";
import { readBreakers } from "./breaker-store.ts";
import { openBreaker } from "./launch-failures.ts";
import { writeWarning } from "./object-events.ts";
import { recordFailedRegistrations } from "./registration-store.ts";
import { readUnavailableOfferings, writeUnavailableOfferings } from "./unavailable-store.ts";

/**
 * An instance that EC2 launched and that ended before it was a node has failed to launch, and its state reason says why (karpenter-aws
 * §4.8): the offering is remembered as unavailable, or its NodePool is left alone, as after a refusal.
 */
export async function learnFromEarlyDeath(
  ports: Ports,
  settings: Settings,
  claim: NodeClaim,
  instance: Ec2Instance,
): Promise<void> {
  if (isTrue(claim, "Registered")) return;
  const stateReason = instance.stateReason ?? "";
  const error = classifyStateReason(stateReason);
  if (!isNobodysFault(stateReason)) {
    const ended = `instance ${instance.instanceId} ended before its node registered`;
    const message = stateReason === "" ? ended : `${ended}: ${stateReason}`;
    await recordFailedRegistrations(ports, settings, [{ claim, reason: "RegistrationFailed", message }]);
  }
  if (error === undefined) return;
  const { reason, code } = error;
  const message = `${code}: ${error.meaning}`;
  ports.telemetry.count(metric.launchFailures, 1, { reason });
  await writeWarning(ports, claim, { reason, message: `instance ${instance.instanceId} has ended: ${message}` });
  switch (error.effect) {
    case "next-offering": {
      const known = await readUnavailableOfferings(ports, settings);
      const { capacityReservationId: reservationId, ...place } = instance;
      const request = { ...place, ...(reservationId !== undefined && { reservationId }) };
      const marks = markUnavailable(error, request, known, ports.clock.now());
      return writeUnavailableOfferings(ports, settings, marks, known);
    }
    case "stop-pool": {
      const nodePool = claim.metadata.labels?.[label.nodePool];
      if (nodePool === undefined) return;
      const before = (await readBreakers(ports, settings)).find((breaker) => breaker.nodePool === nodePool);
      const pools = await ports.kubernetes.list("NodePool");
      await openBreaker(ports, settings, { nodePool, error: { code, reason, message: error.meaning }, before }, pools);
      return;
    }
    case "back-off":
    case "resolve":
    case "new-attempt":
      // The claim goes, and its pods are planned again.
      return;
  }
}

/** Spot took it back, or a person ended it: that says nothing of the NodePool. */
function isNobodysFault(stateReason: string): boolean {
  return stateReason.startsWith("Server.Spot") || stateReason.startsWith("Client.UserInitiated");
}
