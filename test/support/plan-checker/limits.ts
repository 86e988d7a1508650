import type { PlannedNodeClaim } from "../../../shared/provisioning/plan.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { type Amounts, addTo, amountsOf } from "./amounts.ts";
import type { CheckedNode } from "./checked-node.ts";
import type { OfferingChecks } from "./offerings.ts";

/** NodePools that a plan takes over their limits, by the capacity of their nodes; leaving ones do not count (karpenter-core §2.9). */
export function limitProblems(
  claims: readonly PlannedNodeClaim[],
  nodes: readonly CheckedNode[],
  snapshot: Snapshot,
  offerings: OfferingChecks,
): readonly string[] {
  return snapshot.nodePools.flatMap(({ metadata: { name }, spec }) => {
    const own = claims.filter(({ nodePool }) => nodePool === name);
    if (own.length === 0 || spec.limits === undefined) return [];
    const used: Record<string, number> = {};
    for (const node of nodes) {
      if (node.nodePool === name && !node.leaving) addTo(used, { ...capacityOf(node, snapshot, offerings), nodes: 1 });
    }
    const added: Record<string, number> = {};
    for (const claim of own) {
      const capacity = {
        ...claim.allocatable,
        ...offerings.capacityOf(claim.offerings[0].instanceType, name),
      };
      addTo(added, { ...capacity, nodes: 1 });
    }
    return Object.entries(amountsOf(spec.limits)).flatMap(([resource, limit]) => {
      const [before, more] = [used[resource] ?? 0, added[resource] ?? 0];
      return more > 0 && before + more > limit
        ? [`NodePool ${name}: ${resource} would be ${before + more}, its limit is ${limit}`]
        : [];
    });
  });
}

/** Of a claim that is not launched: the least that it may become. */
function capacityOf(
  { capacity, claim, nodePool = "" }: CheckedNode,
  { catalog }: Snapshot,
  offerings: OfferingChecks,
): Amounts {
  if (Object.keys(capacity).length > 0) return capacity;
  const named = claim?.spec.requirements.filter(({ key }) => key === "node.kubernetes.io/instance-type") ?? [];
  const names = named
    .flatMap(({ values = [] }) => values)
    .filter((name) => catalog.types.some((type) => type.name === name));
  const [first, ...others] = names.map((instanceType) => offerings.capacityOf(instanceType, nodePool));
  return Object.fromEntries(
    Object.entries(first ?? {}).map(([resource, amount]) => [
      resource,
      Math.min(amount, ...others.map((other) => other[resource] ?? 0)),
    ]),
  );
}

/** Limits of the whole cluster (design rule 9). */
export function clusterLimitProblems(claims: readonly PlannedNodeClaim[], snapshot: Snapshot): readonly string[] {
  const { maxNodes, maxPriceUsdPerHour } = snapshot.settings;
  if (claims.length === 0) return [];
  const nodes = snapshot.nodeClaims.length + claims.length;
  const price = claims.reduce((sum, { offerings: [best] }) => sum + best.priceUsdPerHour, 0);
  return [
    ...(maxNodes !== undefined && nodes > maxNodes ? [`${nodes} nodes, maxNodes is ${maxNodes}`] : []),
    ...(maxPriceUsdPerHour !== undefined && price > maxPriceUsdPerHour + 1e-9
      ? [`${price} USD per hour, maxPriceUsdPerHour is ${maxPriceUsdPerHour}`]
      : []),
  ];
}

/** Capacity reservations that the plan has more nodes for than they have room; where nobody says how much, one is tried at a time. */
export function reservationProblems(claims: readonly PlannedNodeClaim[], snapshot: Snapshot): readonly string[] {
  const reserved = claims.filter(({ offerings: [best] }) => best.reservationId !== undefined);
  const known = snapshot.nodeClasses.flatMap(({ status }) => status?.capacityReservations ?? []);
  return [...Map.groupBy(reserved, ({ offerings: [best] }) => best.reservationId)].flatMap(([id, own]) => {
    const counts = known.filter((one) => one.id === id).map(({ availableInstanceCount = 1 }) => availableInstanceCount);
    const room = Math.min(...counts);
    return own.length > room ? [`reservation ${id} has room for ${room}, the plan has ${own.length} nodes for it`] : [];
  });
}
