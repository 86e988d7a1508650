import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import type { NodeOverlay } from "../../../shared/api/node-overlay.ts";
import type { NodePool } from "../../../shared/api/node-pool.ts";
import type { InstanceTypeFacts } from "../../../shared/cloud/catalog.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { type Amounts, amountsOf, largestOf } from "./amounts.ts";
import { type Bought, instanceLabels } from "./instance-facts.ts";
import { expressionHolds, type Labels } from "./node-matching.ts";

/**
 * What NodeOverlays say that nodes of a NodePool have if they are of this type (karpenter-core §1.3): of each resource the heaviest that
 * speaks of it, of equal weights the last name. An overlay is for a type if it is for one of the ways in which the class can buy it.
 */
export function overlaidCapacity(facts: InstanceTypeFacts, pool: NodePool | undefined, snapshot: Snapshot): Amounts {
  const overlays = inOrder(snapshot.nodeOverlays);
  if (pool === undefined || overlays.length === 0) return {};
  const ways = waysToBuy(facts, pool, snapshot);
  const capacity: Record<string, number> = {};
  const settled = new Set<string>();
  for (const [index, overlay] of overlays.entries()) {
    const { capacity: stated, requirements } = overlay.spec;
    if (stated === undefined || !ways.some((labels) => requirements.every((entry) => expressionHolds(entry, labels))))
      continue;
    // One that others of its weight come before may have been rejected for a conflict with them: the next then has the word as well.
    const isCertain = index === 0 || weightOf(overlay) !== weightOf(overlays[index - 1] ?? overlay);
    const open = Object.entries(amountsOf(stated)).filter(([resource]) => !settled.has(resource));
    Object.assign(capacity, largestOf(capacity, Object.fromEntries(open)));
    if (isCertain) for (const [resource] of open) settled.add(resource);
  }
  return capacity;
}

/** Overlays that speak of what EC2 itself decides are not valid, and are for nothing. */
function inOrder(overlays: readonly NodeOverlay[]): readonly NodeOverlay[] {
  const valid = overlays.filter(({ spec }) => !Object.keys(spec.capacity ?? {}).some((name) => basic.includes(name)));
  return valid.sort((a, b) => weightOf(b) - weightOf(a) || (a.metadata.name < b.metadata.name ? 1 : -1));
}

const basic: readonly string[] = ["cpu", "memory", "ephemeral-storage", "pods"];

function weightOf({ spec }: NodeOverlay): number {
  return spec.weight ?? 0;
}

/** Labels of a node for each way to buy the type, those of the NodePool's template included; what is sold out counts as well. */
function waysToBuy(facts: InstanceTypeFacts, pool: NodePool, { catalog, nodeClasses }: Snapshot): readonly Labels[] {
  const { metadata, spec } = pool.spec.template;
  const nodeClass = nodeClasses.find((candidate) => candidate.metadata.name === spec.nodeClassRef.name);
  const given: Labels = {
    ...metadata?.labels,
    "karpenter.sh/nodepool": pool.metadata.name,
    "karpenter.k8s.aws/ec2nodeclass": spec.nodeClassRef.name,
  };
  return boughtOf(facts, nodeClass, catalog).flatMap((bought) => {
    const own = instanceLabels(facts, bought, nodeClass, catalog.region);
    const agrees = Object.entries(given).every(([key, value]) => (own[key] ?? value) === value);
    return agrees ? [{ ...own, ...given }] : [];
  });
}

function boughtOf(
  { name }: InstanceTypeFacts,
  nodeClass: EC2NodeClass | undefined,
  { zonesByType, spotPrices }: Snapshot["catalog"],
): readonly Bought[] {
  const subnets = nodeClass?.status?.subnets;
  const zones = (zonesByType.get(name) ?? []).filter((zone) => subnets?.some((subnet) => subnet.zone === zone) ?? true);
  const reservations = nodeClass?.status?.capacityReservations ?? [];
  return zones.flatMap((zone) => [
    { instanceType: name, zone, capacityType: "on-demand" },
    ...(spotPrices.get(name)?.has(zone) ? [{ instanceType: name, zone, capacityType: "spot" }] : []),
    ...reservations
      .filter(({ instanceType, availabilityZone }) => instanceType === name && availabilityZone === zone)
      .map(({ id }) => ({ instanceType: name, zone, capacityType: "reserved", reservationId: id })),
  ]);
}
