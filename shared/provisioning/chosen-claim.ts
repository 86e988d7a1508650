import { label } from "../api/labels.ts";
import type { RankedOffering } from "../cloud/ranking.ts";
import { addResources } from "../scheduling/resources.ts";
import { getOrMake } from "./get-or-make.ts";
import { nodeCost } from "./node-cost.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import type { PlannedNodeClaim } from "./plan.ts";
import type { ClaimDraft } from "./planned-claims.ts";

/** A draft with its choice made: the first of its offerings. */
export function chosenClaim(draft: ClaimDraft): PlannedNodeClaim {
  const { pool, pods, offerings, name, nodePool, requirements, minValuesRelaxed } = draft;
  const { metadata, spec } = pool.pool.spec.template;
  const [best, ...others] = offerings;
  const option = firstOfType(pool, best.instanceType);
  const { daemonRequests = {}, instanceType } = option ?? {};
  const allocatable = instanceType?.allocatable ?? {};
  return {
    name,
    nodePool,
    pods,
    offerings,
    requirements,
    labels: { ...metadata?.labels, [label.nodePool]: nodePool, [label.nodeClass]: pool.nodeClass.metadata.name },
    taints: pool.taints,
    startupTaints: spec.startupTaints ?? [],
    requests: addResources(draft.podRequests, daemonRequests),
    allocatable,
    nodeCost: nodeCost(pool.nodeCharges, best.priceUsdPerHour, daemonRequests, allocatable),
    minValuesRelaxed,
    reason: draft.isOfOnDemandShare
      ? `${shareReason}, ${reasonFor(pods.length, best, others)}`
      : reasonFor(pods.length, best, others),
  };
}

/** Looked for at every claim. */
function firstOfType(pool: PoolOptions, instanceType: string): NodeOption | undefined {
  const byType = getOrMake(
    optionsByType,
    pool,
    () => new Map(pool.options.toReversed().map((option) => [option.instanceType.name, option])),
  );
  return byType.get(instanceType);
}

const optionsByType = new WeakMap<PoolOptions, ReadonlyMap<string, NodeOption>>();

const shareReason = "on-demand by the NodePool's share";

function reasonFor(pods: number, best: RankedOffering, others: readonly RankedOffering[]): string {
  const text = ({ instanceType, capacityType, zone, priceUsdPerHour, reservationId }: RankedOffering) =>
    reservationId === undefined
      ? `${instanceType} ${capacityType} in ${zone} at ${priceUsdPerHour} USD per hour`
      : `${instanceType} in ${zone} from reservation ${reservationId}, paid already`;
  const these = pods === 1 ? "this pod" : `these ${pods} pods`;
  const cheaper = others.find((offering) => offering.priceUsdPerHour < best.priceUsdPerHour);
  if (cheaper !== undefined) {
    return `spread over spot pools for ${these}: ${text(best)}; cheapest: ${text(cheaper)}`;
  }
  const [next] = others;
  const runnerUp = next === undefined ? "no other offering holds them" : `next best: ${text(next)}`;
  return `cheapest for ${these}: ${text(best)}; ${runnerUp}`;
}
