import type { ProvisioningPlan } from "../../../shared/provisioning/plan.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { antiAffinityProblems } from "./anti-affinity.ts";
import { type Placement, unboundPlacements } from "./binding-order.ts";
import { type CheckedNode, existingNodes, hasCondition, plannedNode } from "./checked-node.ts";
import { claimProblems } from "./claim-problems.ts";
import { dueOf, hasEnded } from "./demand.ts";
import { explainHolds, type Holds } from "./holds.ts";
import { clusterLimitProblems, limitProblems, reservationProblems } from "./limits.ts";
import { selectsNode, untolerated } from "./node-matching.ts";
import { OfferingChecks } from "./offerings.ts";
import { roomProblems } from "./room.ts";
import { VolumeChecks } from "./volumes.ts";

/**
 * Judges a plan as the world would: whether every pod is answered once, whether kube-scheduler could bind each pod where the plan says, in
 * some order, and whether what is launched is for sale and allowed. Written from Kubernetes' and Karpenter's documentation; it shares
 * no code with the planner and reads what pods ask from their specs. Returns a line for each problem.
 */
export function planProblems(snapshot: Snapshot, plan: ProvisioningPlan): readonly string[] {
  const offerings = new OfferingChecks(snapshot);
  const existing = existingNodes(snapshot);
  const nodes = [...existing, ...plan.nodeClaims.map((claim) => plannedNode(snapshot, claim, offerings))];
  const nodeOf = new Map(nodes.map((node) => [node.name, node]));
  const { problems, holds, placements } = answers(snapshot, plan, nodeOf);
  return [
    ...problems,
    ...nameProblems(snapshot, plan, nodeOf),
    ...plan.nodeClaims.flatMap((claim) => claimProblems(claim, snapshot, offerings)),
    ...limitProblems(plan.nodeClaims, existing, snapshot, offerings),
    ...clusterLimitProblems(plan.nodeClaims, snapshot),
    ...reservationProblems(plan.nodeClaims, snapshot),
    ...placementProblems(snapshot, plan, placements, nodes, holds),
    ...priceProblems(plan),
  ];
}

/** Whether each pod that wants an answer has exactly one. */
function answers(snapshot: Snapshot, plan: ProvisioningPlan, nodeOf: ReadonlyMap<string, CheckedNode>) {
  const podOf = new Map(snapshot.pods.map((pod) => [pod.uid, pod]));
  const placed = [...plan.nodeClaims, ...plan.existing].flatMap(({ name, pods }) => pods.map((pod) => ({ pod, name })));
  const answered = [...placed.map(({ pod }) => pod), ...plan.unschedulable.map(({ pod }) => pod)];
  const uids = new Set(answered.map(({ uid }) => uid));
  const dues = new Map(snapshot.pods.map((pod) => [pod, dueOf(pod, snapshot, nodeOf)]));
  const unanswered = snapshot.pods.filter((pod) => dues.get(pod) === "must" && !uids.has(pod.uid));
  const holds = explainHolds(unanswered, uids, { now: snapshot.now, pods: podOf, nodes: nodeOf });
  const problems = [
    ...[...Map.groupBy(answered, ({ uid }) => uid).values()]
      .filter((same) => same.length > 1)
      .map(([pod]) => `${nameOf(pod)} is answered more than once`),
    ...holds.forgotten.map((pod) => `${nameOf(pod)} is not answered`),
    ...holds.answeredTwice.map((pod) => `${nameOf(pod)} has a place on a NodeClaim and is planned again`),
    ...answered
      .filter((pod) => !isSpare(pod) && (dues.get(podOf.get(pod.uid) ?? pod) ?? "not") === "not")
      .map((pod) => `${nameOf(pod)} wants no answer`),
    ...plan.unschedulable
      .filter(({ reasons }) => reasons.length === 0 || reasons.some(({ reason }) => reason.trim() === ""))
      .map(({ pod }) => `${nameOf(pod)} is unschedulable without a reason`),
  ];
  const placements = placed.flatMap(({ pod, name }): readonly Placement[] => {
    const node = nodeOf.get(name);
    return node === undefined ? [] : [{ pod: podOf.get(pod.uid) ?? pod, node }];
  });
  return { problems, holds, placements };
}

/** A pod that stands for a capacity buffer and is in no cluster. */
function isSpare({ owner }: PodRecord): boolean {
  return owner?.kind === "CapacityBuffer";
}

function nameProblems(
  snapshot: Snapshot,
  plan: ProvisioningPlan,
  nodeOf: ReadonlyMap<string, CheckedNode>,
): readonly string[] {
  const names = plan.nodeClaims.map(({ name }) => name);
  // Creation gives a copy's name where the claim is on its way out, or its pods did not come to its node (design §4.1, step 3).
  const living = snapshot.nodeClaims.filter(
    (claim) => claim.metadata.deletionTimestamp === undefined && !hasCondition(claim, "Initialized"),
  );
  const taken = new Set(living.map(({ metadata }) => metadata.name));
  const used = plan.existing.map(({ name }) => name);
  return [
    ...repeated(names).map((name) => `two NodeClaims are called ${name}`),
    ...names.filter((name) => taken.has(name)).map((name) => `there is a NodeClaim ${name} already`),
    ...repeated(used).map((name) => `node ${name} is listed twice`),
    ...used.flatMap((name) => {
      const node = nodeOf.get(name);
      if (node === undefined || node.isNew) return [`node ${name} does not exist`];
      return node.leaving ? [`node ${name} is leaving`] : [];
    }),
  ];
}

function repeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
}

function placementProblems(
  snapshot: Snapshot,
  plan: ProvisioningPlan,
  placements: readonly Placement[],
  nodes: readonly CheckedNode[],
  holds: Holds,
): readonly string[] {
  const volumes = new VolumeChecks(snapshot);
  const residents = residentsOf(snapshot, plan, nodes, holds);
  const perNode = [...Map.groupBy(placements, ({ node }) => node)].flatMap(([node, entries]) => {
    const placed = entries.map(({ pod }) => pod);
    const there = residents.get(node.name) ?? [];
    const tooMany = node.isNew ? undefined : volumes.limitProblem(node, placed, there);
    return [
      ...roomProblems(node, placed, there, snapshot),
      ...(tooMany === undefined ? [] : [`${node.name}: ${tooMany}`]),
    ];
  });
  // Who is being deleted counts for no rule about other pods: it will be gone, and nobody may rely on it.
  const present = nodes.flatMap((node) =>
    (residents.get(node.name) ?? []).filter(({ deletedAt }) => deletedAt === undefined).map((pod) => ({ pod, node })),
  );
  return [
    ...placements.flatMap(({ pod, node }) => {
      const reason = refusal(pod, node) ?? volumes.refusal(pod, node);
      return reason === undefined ? [] : [`${nameOf(pod)} on ${node.name}: ${reason}`];
    }),
    ...perNode,
    ...volumes.zoneProblems(placements),
    ...antiAffinityProblems(placements, present, snapshot.namespaces),
    ...unboundPlacements(placements, { nodes, present, namespaces: snapshot.namespaces }),
  ];
}

/**
 * Pods by node: bound ones that stay, and those whose place a NodeClaim keeps. Pods of leaving nodes that the plan speaks of are gone
 * from there when it has come true, also those that find no other place.
 */
function residentsOf(
  snapshot: Snapshot,
  plan: ProvisioningPlan,
  nodes: readonly CheckedNode[],
  { podsByNode }: Holds,
): ReadonlyMap<string, readonly PodRecord[]> {
  const placed = [...plan.nodeClaims, ...plan.existing].flatMap(({ pods }) => pods);
  const waiting = plan.unschedulable.map(({ pod }) => pod);
  const moving = new Set([...placed, ...waiting, ...[...podsByNode.values()].flat()].map(({ uid }) => uid));
  const bound = Map.groupBy(
    snapshot.pods.filter((pod) => pod.nodeName !== undefined && !moving.has(pod.uid) && !hasEnded(pod)),
    ({ nodeName = "" }) => nodeName,
  );
  return new Map(nodes.map(({ name }) => [name, [...(bound.get(name) ?? []), ...(podsByNode.get(name) ?? [])]]));
}

function refusal({ constraints: { spec } }: PodRecord, node: CheckedNode): string | undefined {
  if (!selectsNode(spec, node)) return "node selector or node affinity";
  const taint = untolerated(spec.tolerations, node.taints);
  return taint && `does not tolerate the taint ${taint.key}=${taint.value ?? ""}:${taint.effect}`;
}

function priceProblems(plan: ProvisioningPlan): readonly string[] {
  const price = plan.nodeClaims.reduce((sum, { offerings: [best] }) => sum + best.priceUsdPerHour, 0);
  const slack = 1e-9 * Math.max(1, price);
  const ownCost = plan.nodeCost.volumesUsdPerHour + plan.nodeCost.chargeUsdPerHour;
  return [
    ...(Math.abs(price - plan.priceUsdPerHour) > slack
      ? [`the plan's price is ${plan.priceUsdPerHour}, its NodeClaims cost ${price}`]
      : []),
    ...(plan.lowerBoundUsdPerHour > plan.priceUsdPerHour + ownCost + slack
      ? [`the lower bound is ${plan.lowerBoundUsdPerHour}, the cost ${plan.priceUsdPerHour + ownCost}`]
      : []),
    ...(plan.instancesLowerBound.value > plan.priceUsdPerHour + slack
      ? [`the instances' lower bound is ${plan.instancesLowerBound.value}, their price ${plan.priceUsdPerHour}`]
      : []),
    ...(Math.abs(ownCost - ownCostOf(plan.nodeClaims)) > slack
      ? [`the plan's nodes cost ${ownCost} beside their instances, its NodeClaims ${ownCostOf(plan.nodeClaims)}`]
      : []),
  ];
}

function ownCostOf(claims: ProvisioningPlan["nodeClaims"]): number {
  return claims.reduce((sum, { nodeCost }) => sum + nodeCost.volumesUsdPerHour + nodeCost.chargeUsdPerHour, 0);
}

function nameOf(pod: PodRecord | undefined): string {
  return `${pod?.namespace}/${pod?.name}`;
}
