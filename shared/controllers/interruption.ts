import type { Node } from "../api/core.ts";
import { annotation, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { UnavailableOffering } from "../cloud/catalog.ts";
import { classifyEc2Error } from "../cloud/ec2-errors.ts";
import { markUnavailable, withMarks } from "../cloud/unavailable-offerings.ts";
import { metric } from "../metrics.ts";
import type { MergePatch, Ports } from "../ports.ts";
import { mergeTaints } from "../scheduling/taints.ts";
import { disruptedTaint } from "../state/pod-eviction.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import { formatReplacement, type Replacement, replacementOf, strongerReplacement } from "../state/replacement.ts";
import type { Settings } from "../state/settings.ts";
import { stepOf } from "../state/step.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { type Notice, parseNotice } from "./interruption-events.ts";
import { fulfilled, limitedSettled } from "./limited-parallel.ts";
import { update } from "./optimistic-update.ts";
import { rememberReclaims } from "./reclaim-store.ts";
import { readUnavailableOfferings, writeUnavailableOfferings } from "./unavailable-store.ts";

interface Affected {
  readonly claim: NodeClaim;
  readonly replacement: Replacement;
}

/**
 * Phase 1 of an interruption (design §4.3): for all notices of a batch at once, mark the nodes, mark the offerings, delete the claims,
 * wake the planner. Idempotent, so that a warning, its copy and the state change after it make one departure.
 *
 * The NodeClaim is deleted here, at once: its deletionTimestamp is the durable intent that no lost hint can undo. Replacement still
 * comes first. The mark is on the Node before the claim is deleted; the planner counts the pods of marked nodes as pending; and drain
 * steps of a marked node evict a pod only when its next node is ready or at its last moment. The finalizer keeps the claim, and so the
 * node, until then. A crash between mark and deletion is healed by the redelivered event, or by the collection tick, which deletes
 * the claims of marked nodes. A claim whose node has not registered runs no pods: it is deleted alone.
 */
export async function interrupt(ports: Ports, settings: Settings, events: readonly unknown[]): Promise<void> {
  const notices = readNotices(ports, settings, events);
  if (notices.length === 0) return;
  const affected = await affectedClaims(ports, notices);
  if (affected.length === 0) return;
  const [marks, offerings] = await Promise.all([
    limitedSettled(affected, 50, (one) => markNode(ports, one)),
    Promise.allSettled([markOfferings(ports, settings, affected), rememberSpotReclaims(ports, settings, affected)]),
  ]);
  const marked = marks.flatMap((mark) => (mark.status === "fulfilled" ? [mark.value] : []));
  const departures = await limitedSettled(marked, 20, (one) => depart(ports, one));
  await ports.hints.send({ kind: "provision", reason: "node-leaving", at: ports.clock.now() });
  fulfilled<unknown>([...marks, ...offerings, ...departures]);
}

function readNotices(ports: Ports, settings: Settings, events: readonly unknown[]): readonly Notice[] {
  return events.flatMap((event) => {
    const parsed = parseNotice(event, settings);
    const messageType = parsed.kind === "notice" ? parsed.notice.reason : "dropped";
    ports.telemetry.count(metric.interruptionMessages, 1, { message_type: messageType });
    if (parsed.kind === "notice") return [parsed.notice];
    ports.telemetry.log("debug", "event dropped", { reason: parsed.reason });
    return [];
  });
}

/** The claims that the notices are about, each once, with the most urgent of its notices. */
async function affectedClaims(ports: Ports, notices: readonly Notice[]): Promise<readonly Affected[]> {
  const claims = await ports.kubernetes.list("NodeClaim");
  const claimsById = new Map(claims.map((claim) => [instanceIdOf(claim.status?.providerID) ?? "", claim]));
  const replacing = notices.some(({ reason }) => reason === "rebalance") ? await rebalancedPools(ports) : new Set();
  const now = ports.clock.now();
  const affected = new Map<string, Affected>();
  for (const notice of notices) {
    for (const instanceId of notice.instanceIds) {
      const claim = claimsById.get(instanceId);
      if (claim === undefined) {
        ports.telemetry.count(metric.foreignEvents, 1);
        continue;
      }
      if (notice.reason === "rebalance" && !replacing.has(claim.metadata.labels?.[label.nodePool])) continue;
      const replacement = strongerReplacement(affected.get(instanceId)?.replacement, replacementFor(notice, now));
      affected.set(instanceId, { claim, replacement });
    }
  }
  return [...affected.values()];
}

function replacementFor({ reason, at, deadlineAt }: Notice, now: number): Replacement {
  return { reason, noticedAt: Math.min(at, now), ...(deadlineAt === undefined ? {} : { deadlineAt }) };
}

async function rebalancedPools(ports: Ports): Promise<ReadonlySet<string | undefined>> {
  const pools = await ports.kubernetes.list("NodePool");
  const willing = pools.filter((pool) => pool.metadata.annotations?.[annotation.onRebalance] === "replace");
  return new Set(willing.map((pool) => pool.metadata.name));
}

/** A claim whose node could not be marked must not be deleted: it would be drained before its replacement is there. */
async function markNode(ports: Ports, affected: Affected): Promise<Affected> {
  const { claim, replacement } = affected;
  const { nodeName, providerID } = claim.status ?? {};
  if (nodeName === undefined) return affected;
  await update(ports, "Node", { name: nodeName }, (node) =>
    node.spec?.providerID === providerID ? replacementPatch(node, replacement) : undefined,
  );
  return affected;
}

/** Taint and mark in one write; undefined when the node says as much already. */
function replacementPatch(node: Node, replacement: Replacement): MergePatch | undefined {
  const known = replacementOf(node);
  const stronger = strongerReplacement(known, replacement);
  const taints = node.spec?.taints ?? [];
  const merged = mergeTaints(taints, [disruptedTaint]);
  if (stronger === known && merged.length === taints.length) return undefined;
  return { metadata: { annotations: { [annotation.replace]: formatReplacement(stronger) } }, spec: { taints: merged } };
}

/** A claim that is leaving already gets its next step now: the deadline may have moved. */
async function depart(ports: Ports, { claim, replacement }: Affected): Promise<void> {
  const { name, deletionTimestamp } = claim.metadata;
  if (deletionTimestamp !== undefined) {
    return ports.hints.send({ kind: "termination", nodeClaim: name, step: stepOf(claim).n, at: ports.clock.now() });
  }
  const why = `${replacement.reason} notice for ${claim.status?.providerID}`;
  await deleteClaim(ports, claim, { reason: replacement.reason, why, needsReplacement: false });
}

/** Once for each instance: the copies of a notice find its claim deleted. */
function rememberSpotReclaims(ports: Ports, settings: Settings, affected: readonly Affected[]): Promise<void> {
  const reclaimed = affected.flatMap(({ claim: { metadata }, replacement }) => {
    const { [label.instanceType]: instanceType, [label.zone]: zone } = metadata.labels ?? {};
    const isNew = replacement.reason === "spot-interruption" && metadata.deletionTimestamp === undefined;
    return isNew && instanceType !== undefined && zone !== undefined ? [{ instanceType, zone }] : [];
  });
  return rememberReclaims(ports, settings, reclaimed);
}

/** What EC2 takes back it has no room for: the replacements must not land there (field-scenarios B4.14). */
async function markOfferings(ports: Ports, settings: Settings, affected: readonly Affected[]): Promise<void> {
  const reclaimed = affected.filter(
    ({ replacement: { reason } }) => reason === "spot-interruption" || reason === "capacity-reservation",
  );
  if (reclaimed.length === 0) return;
  const known = await readUnavailableOfferings(ports, settings);
  const now = ports.clock.now();
  const marks = reclaimed.reduce<readonly UnavailableOffering[]>((sum, { claim, replacement }) => {
    const labels = claim.metadata.labels ?? {};
    const instanceType = labels[label.instanceType];
    const zone = labels[label.zone];
    const capacityType = labels[label.capacityType];
    const reservationId = labels[label.reservationId];
    if (instanceType === undefined || zone === undefined || capacityType === undefined) return sum;
    const refusal = { ...classifyEc2Error("InsufficientInstanceCapacity"), code: replacement.reason };
    const place = { instanceType, zone, capacityType, subnetId: "" };
    const request = reservationId === undefined ? place : { ...place, reservationId };
    return withMarks(sum, markUnavailable(refusal, request, known, now));
  }, []);
  await writeUnavailableOfferings(ports, settings, marks, known);
}
