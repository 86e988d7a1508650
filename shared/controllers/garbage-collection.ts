import { tag } from "../api/labels.ts";
import { metric } from "../metrics.ts";
import type { Ec2Instance, Ports } from "../ports.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import type { Settings } from "../state/settings.ts";
import { stepOf } from "../state/step.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { type CollectionPlan, type OverdueWork, overdueWork, planCollection } from "./collection-plan.ts";
import { DeferredErrors } from "./deferred-errors.ts";
import { learnFromEarlyDeath } from "./early-deaths.ts";
import { execute, requireDone } from "./execute.ts";
import { holdsLease, type LeaseOptions, withLease } from "./lease.ts";
import { removeNode } from "./object-removal.ts";
import { watchWebhook } from "./webhook-breaker.ts";

/**
 * The minute tick that makes lost hints and crashes harmless: looks after the webhook, revives overdue work, then collects instances
 * without claim, claims without instance and nodes with neither (design rules 7 and 8). A failed or partial read is thrown and nothing
 * is collected.
 */
export async function collectGarbage(ports: Ports, settings: Settings): Promise<void> {
  const lease = { name: "journeyman-garbage-collection", namespace: settings.namespace, durationSeconds: 70 };
  const errors = new DeferredErrors();
  await withLease(ports, lease, async () => {
    await errors.during(() => watchWebhook(ports, settings.namespace));
    const nodes = await ports.kubernetes.list("Node");
    const claimsBefore = await ports.kubernetes.list("NodeClaim");
    await revive(ports, overdueWork(claimsBefore, nodes, ports.clock.now()));
    const instances = await ports.ec2.describeInstances({ by: "cluster" });
    const claimsAfter = await ports.kubernetes.list("NodeClaim");
    const plan = planCollection({ now: ports.clock.now(), nodes, claimsBefore, instances, claimsAfter });
    if (plan.halted !== undefined) {
      ports.telemetry.count(metric.limitReached, 1, { limit: "collection" });
      ports.telemetry.log("error", "collection halted", { reason: plan.halted });
      return;
    }
    await collect(ports, settings, lease, plan);
  });
  errors.throwFirst();
}

async function revive(ports: Ports, work: OverdueWork): Promise<void> {
  const at = ports.clock.now();
  for (const claim of work.steps) {
    const { n } = stepOf(claim);
    ports.telemetry.log("warn", "termination step was overdue", { nodeClaim: claim.metadata.name, step: n });
    await ports.hints.send({ kind: "termination", nodeClaim: claim.metadata.name, step: n, at });
  }
  for (const claim of work.departures) {
    const why = "its node is leaving, and nobody had deleted the claim";
    await deleteClaim(ports, claim, { reason: "node_leaving", why, needsReplacement: true });
  }
  if (work.hasUnlaunched) await ports.hints.send({ kind: "provision", reason: "claim-unlaunched", at });
}

/** Looks at each suspect once more, by its id, just before it is removed (design rule 8). */
async function collect(ports: Ports, settings: Settings, lease: LeaseOptions, plan: CollectionPlan): Promise<void> {
  const suspects = [
    ...plan.leaked.map(({ instanceId }) => instanceId),
    ...plan.lost.map((claim) => instanceIdOf(claim.status?.providerID)),
    ...plan.orphaned.map((node) => instanceIdOf(node.spec?.providerID)),
  ].filter((id) => id !== undefined);
  if (suspects.length === 0) return;
  const seen = await ports.ec2.describeInstances({ by: "ids", instanceIds: [...new Set(suspects)] });
  const alive = new Map(seen.filter(({ state }) => state !== "terminated").map((one) => [one.instanceId, one]));
  const isAlive = (providerId: string | undefined) => alive.has(instanceIdOf(providerId) ?? "");
  if (!(await holdsLease(ports, lease))) return;
  for (const { instanceId } of plan.leaked) {
    const instance = alive.get(instanceId);
    if (instance !== undefined) await collectInstance(ports, instance);
  }
  for (const claim of plan.lost.filter(({ status }) => !isAlive(status?.providerID))) {
    const instanceId = instanceIdOf(claim.status?.providerID);
    const ended = seen.find((instance) => instance.instanceId === instanceId);
    if (ended !== undefined) await learnFromEarlyDeath(ports, settings, claim, ended);
    const why = `its instance ${instanceId} is gone`;
    await deleteClaim(ports, claim, { reason: "instance_gone", why, needsReplacement: true });
  }
  const attachments = plan.orphaned.length === 0 ? [] : await ports.kubernetes.list("VolumeAttachment");
  for (const node of plan.orphaned.filter(({ spec }) => !isAlive(spec?.providerID))) {
    const decoder = new PodDecoder();
    const pods = await ports.kubernetes.list("Pod", { fieldSelector: `spec.nodeName=${node.metadata.name}` });
    const records = pods.map((pod) => decoder.decode(pod));
    await removeNode(ports, node, records, attachments);
  }
}

/** The claim that the tag names may have come back, or have got its status, since the lists were read. */
async function collectInstance(ports: Ports, instance: Ec2Instance): Promise<void> {
  const { instanceId, tags } = instance;
  const name = tags[tag.nodeClaim];
  const claim = name === undefined ? undefined : await ports.kubernetes.get("NodeClaim", { name });
  const other = instanceIdOf(claim?.status?.providerID);
  if (claim !== undefined && (other === undefined || other === instanceId)) return;
  const why = claim === undefined ? "no NodeClaim has this instance" : `NodeClaim ${name} has instance ${other}`;
  requireDone(await execute(ports, [{ kind: "terminate-instances", instanceIds: [instanceId], why }]));
  ports.telemetry.count(metric.orphansCollected, 1);
}
