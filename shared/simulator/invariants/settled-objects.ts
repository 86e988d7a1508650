import type { Node, Pod } from "../../api/core.ts";
import { label } from "../../api/labels.ts";
import type { NodeClaim } from "../../api/node-claim.ts";
import type { ObjectMeta } from "../../api/schema.ts";
import { parseTime } from "../../api/time.ts";
import { isRecord } from "../../state/json-annotation.ts";
import { replacementOf } from "../../state/replacement.ts";
import { type Invariant, invariant, type ObservedWorld, type Report } from "./invariant.ts";
import { pathOf } from "./machines.ts";

/** What takes longer has been forgotten. */
const patienceMilliseconds = { pod: 180_000, deletion: 120_000, nodeWithoutClaim: 120_000, claimWithoutNode: 300_000 };

/** At the end every pod runs that can, nothing is stuck on its way out, and nodes and claims have each other. */
export function settledObjects(world: ObservedWorld): Invariant {
  return invariant("nothing is lost at the end", world, (report) => ({
    atEnd() {
      const { server } = world.cluster;
      const now = world.loop.now();
      const nodes = server.list("Node").filter(({ metadata }) => metadata.labels?.[label.nodePool] !== undefined);
      const claims = server.list("NodeClaim");
      const hopeless = hopelessPods(world);
      for (const pod of server.list("Pod")) judgePod(pod, hopeless, now, report);
      for (const claim of claims) judgeDeletion(claim, nodes.find(isNodeOf(claim)), now, report);
      for (const node of nodes) judgeDeletion(node, node, now, report);
      for (const node of nodes.filter((one) => !claims.some((claim) => isNodeOf(claim)(one)))) {
        judgeAge(node, patienceMilliseconds.nodeWithoutClaim, "without a NodeClaim", now, report);
      }
      for (const claim of claims.filter((one) => !nodes.some(isNodeOf(one)))) {
        judgeAge(claim, patienceMilliseconds.claimWithoutNode, "without a Node", now, report);
      }
    },
  }));
}

function isNodeOf({ status }: NodeClaim): (node: Node) => boolean {
  return ({ spec }) => status?.providerID !== undefined && spec?.providerID === status.providerID;
}

/** Pods that the latest plan found no place for, by `namespace/name`. */
function hopelessPods({ telemetry }: ObservedWorld): ReadonlySet<unknown> {
  const listed = telemetry.lines.findLast(({ message }) => message === "plan")?.fields.unschedulable;
  return new Set(Array.isArray(listed) ? listed.map((entry) => (isRecord(entry) ? entry.pod : undefined)) : []);
}

function judgePod(pod: Pod, hopeless: ReadonlySet<unknown>, now: number, report: Report): void {
  const { metadata, spec, status } = pod;
  const objects = `Pod ${pathOf(pod)}`;
  if (metadata.deletionTimestamp !== undefined) {
    const late = now - parseTime(metadata.deletionTimestamp);
    const seen = `${seconds(late)} past the end of its grace`;
    if (late > patienceMilliseconds.deletion) report({ objects, seen, allowed: "no stuck pod" });
    return;
  }
  const isDaemon = metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet") ?? false;
  const isGated = (spec.schedulingGates ?? []).length > 0;
  const isDone = ["Running", "Succeeded", "Failed"].includes(status?.phase ?? "");
  const age = ageOf(metadata, now);
  if (isDone || isDaemon || isGated || age <= patienceMilliseconds.pod) return;
  if (spec.nodeName === undefined && hopeless.has(pathOf(pod))) return;
  const where = spec.nodeName === undefined ? "without a node" : `on Node ${spec.nodeName}`;
  report({
    objects,
    seen: `not running ${where} after ${seconds(age)}`,
    allowed: "running, or refused by the latest plan",
  });
}

/** A machine with a deadline of its own is waited for until then: what spot takes back within the hour is free. */
function judgeDeletion(
  { kind, metadata }: Node | NodeClaim,
  node: Node | undefined,
  now: number,
  report: Report,
): void {
  if (metadata.deletionTimestamp === undefined) return;
  const deadlineAt = (node && replacementOf(node)?.deadlineAt) ?? 0;
  const late = now - Math.max(parseTime(metadata.deletionTimestamp), deadlineAt);
  if (late <= patienceMilliseconds.deletion) return;
  const finalizers = metadata.finalizers?.join(", ") ?? "";
  const seen = `on its way out for ${seconds(late)} with finalizers ${finalizers}`;
  report({ objects: `${kind} ${metadata.name}`, seen, allowed: seconds(patienceMilliseconds.deletion) });
}

function judgeAge(
  { kind, metadata }: Node | NodeClaim,
  patience: number,
  what: string,
  now: number,
  report: Report,
): void {
  const age = ageOf(metadata, now);
  if (age <= patience) return;
  report({ objects: `${kind} ${metadata.name}`, seen: `${what} after ${seconds(age)}`, allowed: seconds(patience) });
}

function ageOf({ creationTimestamp }: ObjectMeta, now: number): number {
  return creationTimestamp === undefined ? 0 : now - parseTime(creationTimestamp);
}

function seconds(milliseconds: number): string {
  return `${Math.floor(milliseconds / 1_000)} s`;
}
