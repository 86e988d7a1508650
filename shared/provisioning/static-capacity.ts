import { label } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";
import { nodeClaimName } from "../cloud/node-claim-name.ts";
import { type RankedOffering, rankedOffering } from "../cloud/ranking.ts";
import { spreadSpot } from "../cloud/spot-spread.ts";
import { intersectAll } from "../scheduling/requirements.ts";
import { fits, parseResources } from "../scheduling/resources.ts";
import { type ClusterNode, clusterNodes } from "../state/cluster-nodes.ts";
import { fairShares } from "../state/fair-shares.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { type StaticPool, staticPools } from "../state/static-pools.ts";
import { withinClusterLimits } from "./cluster-limits.ts";
import { withoutExotic } from "./exotic-types.ts";
import { Lazy } from "./lazily.ts";
import { nodeCost, sumOfCharges, sumOfCosts } from "./node-cost.ts";
import { type PlanningPools, type PoolOptions, planningPools } from "./node-options.ts";
import { isSpot, missingOffSpot, offSpotRequirement } from "./on-demand-share.ts";
import type { PlannedNodeClaim, ProvisioningPlan } from "./plan.ts";
import { rankForPool } from "./pool-ranking.ts";
import { onReservation, ReservedPlaces } from "./reserved-places.ts";
import { spotFleet } from "./spot-fleet.ts";

/** What static NodePools (`spec.replicas`) lack. */
export interface StaticCapacityPlan {
  /** Nodes to be launched for no pod of their own. */
  readonly nodeClaims: readonly PlannedNodeClaim[];
  /** Nodes that are missing and are not planned. */
  readonly shortfalls: readonly StaticShortfall[];
  readonly spotSpreadUsdPerHour: number;
}

export interface StaticShortfall {
  readonly nodePool: string;
  readonly nodes: number;
  readonly reason: string;
}

interface MissingNodes {
  readonly pool: StaticPool;
  readonly active: number;
  /** Of the NodeClaims to be made. */
  readonly names: readonly string[];
  readonly shortfalls: readonly StaticShortfall[];
}

interface StaticDraft {
  readonly name: string;
  readonly nodePool: string;
  readonly pool: PoolOptions;
  readonly offerings: PlannedNodeClaim["offerings"];
  readonly why: string;
  /** The NodePool's share of on-demand nodes keeps it off spot. */
  readonly isOfOnDemandShare?: true;
}

/** Nodes that one pass of the planner makes for static NodePools; those after it make the rest. */
const mostStaticNodes = 1_000;

/**
 * The NodeClaims that bring each ready static NodePool to its replicas (karpenter-core §1.4). Leaving nodes count for nothing but the
 * limit on nodes. A name belongs to a place among the replicas, so that a pass that is repeated meets the claims that it has made.
 * `mostNodes` is shared among the pools.
 */
export function planStaticCapacity(snapshot: Snapshot, mostNodes: number = mostStaticNodes): StaticCapacityPlan {
  const claimed = clusterNodes(snapshot).filter(({ nodeClaim }) => nodeClaim !== undefined);
  const lacking = missingNodes(staticPools(snapshot.nodePools), claimed, mostNodes).filter(
    ({ names, shortfalls }) => names.length > 0 || shortfalls.length > 0,
  );
  if (lacking.length === 0) return { nodeClaims: [], shortfalls: [], spotSpreadUsdPerHour: 0 };
  const ready = lacking.map(({ pool }) => asDynamic(pool));
  const pools = planningPools(snapshot, ready);
  const places = new ReservedPlaces(pools.pools.flatMap(({ options }) => options));
  const drafted = lacking.map((missing) => draftsOf(missing, pools, places));
  const spread = spreadSpot(
    drafted.flatMap(({ drafts }) => withOnDemandShare(drafts, snapshot)),
    spotFleet(snapshot.nodeClaims),
    snapshot.settings.spotSpreadShare,
  );
  const { allowed, refused } = withinClusterLimits(spread.claims, snapshot);
  return {
    nodeClaims: allowed.map(plannedClaim),
    shortfalls: [
      ...lacking.flatMap(({ shortfalls }) => shortfalls),
      ...drafted.flatMap(({ shortfall }) => shortfall ?? []),
      ...refused.map(({ claim, refusal }) => ({ nodePool: claim.nodePool, nodes: 1, reason: refusal.reason })),
    ],
    spotSpreadUsdPerHour: spread.extraUsdPerHour,
  };
}

/** A plan for pods with the nodes of static NodePools before its own: nothing that holds as many nodes costs less. */
export function withStaticCapacity(plan: ProvisioningPlan, fixed: StaticCapacityPlan): ProvisioningPlan {
  const fixedCost = sumOfCosts(fixed.nodeClaims.map((claim) => claim.nodeCost));
  const prices = fixed.nodeClaims.map(({ offerings }) => offerings.map(({ priceUsdPerHour }) => priceUsdPerHour));
  const sum = (pick: (offers: readonly number[]) => number) => prices.reduce((total, one) => total + pick(one), 0);
  const lowest = sum((offers) => Math.min(...offers));
  return {
    ...plan,
    nodeClaims: [...fixed.nodeClaims, ...plan.nodeClaims],
    priceUsdPerHour: plan.priceUsdPerHour + sum(([first = 0]) => first),
    nodeCost: sumOfCosts([plan.nodeCost, fixedCost]),
    lowerBoundUsdPerHour: plan.lowerBoundUsdPerHour + lowest + sumOfCharges(fixedCost),
    instancesLowerBound: new Lazy(() => plan.instancesLowerBound.value + lowest),
    spotSpreadUsdPerHour: plan.spotSpreadUsdPerHour + fixed.spotSpreadUsdPerHour,
  };
}

function missingNodes(
  pools: readonly StaticPool[],
  claimed: readonly ClusterNode[],
  mostNodes: number,
): readonly MissingNodes[] {
  const taken = new Set(claimed.map(({ nodeClaim }) => nodeClaim?.metadata.name));
  const gaps = pools.map((pool) => ({ pool, ...gapOf(pool, claimed) }));
  const shares = fairShares(new Map(gaps.map(({ pool, room }) => [pool.metadata.name, room])), mostNodes);
  return gaps.map(({ pool, active, room, shortfalls }) => {
    const { name, uid = name } = pool.metadata;
    const share = shares.get(name) ?? 0;
    const names = freeNames(name, uid, share, taken);
    if (share === room) return { pool, active, names, shortfalls };
    const reason = `one pass makes at most ${mostNodes} nodes of static NodePools; later ones make the rest`;
    return { pool, active, names, shortfalls: [...shortfalls, { nodePool: name, nodes: room - share, reason }] };
  });
}

/** The nodes that a pool has, and how many more its limit has room for. */
function gapOf(
  pool: StaticPool,
  claimed: readonly ClusterNode[],
): { readonly active: number; readonly room: number; readonly shortfalls: readonly StaticShortfall[] } {
  const { name } = pool.metadata;
  const own = claimed.filter(({ nodeClaim }) => nodeClaim?.metadata.labels?.[label.nodePool] === name);
  const active = own.filter(({ leaving }) => !leaving).length;
  const missing = Math.max(0, pool.spec.replicas - active);
  const limit = parseResources(pool.spec.limits).nodes;
  const room = Math.min(missing, Math.max(0, (limit ?? Number.POSITIVE_INFINITY) - own.length));
  if (room === missing) return { active, room, shortfalls: [] };
  const reason = `its limit of ${limit} nodes leaves room for ${room}: ${own.length} are there, ${own.length - active} of them leaving`;
  return { active, room, shortfalls: [{ nodePool: name, nodes: missing - room, reason }] };
}

function freeNames(
  pool: string,
  uid: string,
  count: number,
  taken: ReadonlySet<string | undefined>,
): readonly string[] {
  const names: string[] = [];
  for (let place = 0; names.length < count; place++) {
    const name = nodeClaimName(pool, [`${uid}/${place}`]);
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

/** The pool as if pods asked for its nodes: what it could make, and whether it is ready. */
function asDynamic(pool: StaticPool): NodePool {
  const { replicas: _replicas, ...spec } = pool.spec;
  return { ...pool, spec };
}

function draftsOf(
  { pool, active, names }: MissingNodes,
  { pools, rejected }: PlanningPools,
  places: ReservedPlaces,
): { readonly drafts: readonly StaticDraft[]; readonly shortfall?: StaticShortfall } {
  const nodePool = pool.metadata.name;
  if (names.length === 0) return { drafts: [] };
  const refuse = (reason: string) => ({ drafts: [], shortfall: { nodePool, nodes: names.length, reason } });
  const ready = pools.find((candidate) => candidate.pool.metadata.name === nodePool);
  if (ready === undefined)
    return refuse(rejected.find((one) => one.nodePool === nodePool)?.reason ?? "it is not ready");
  const ranked = staticOfferings(ready);
  const why = `NodePool ${nodePool} keeps ${pool.spec.replicas} nodes, ${active} are there`;
  const drafts = names.flatMap((name): readonly StaticDraft[] => {
    const [best, ...others] = places.take(ranked);
    return best === undefined ? [] : [{ name, nodePool, pool: ready, offerings: [best, ...others], why }];
  });
  if (drafts.length === 0) return refuse("no instance type suits its requirements and is available");
  const nodes = names.length - drafts.length;
  if (nodes === 0) return { drafts };
  return { drafts, shortfall: { nodePool, nodes, reason: "no place is left in its capacity reservations" } };
}

/** All nodes of a static pool are alike, so that it does not matter which are off spot. */
function withOnDemandShare(drafts: readonly StaticDraft[], snapshot: Snapshot): readonly StaticDraft[] {
  const [one] = drafts;
  let missing = one === undefined ? 0 : missingOffSpot(one.nodePool, drafts, snapshot);
  return drafts.map((draft) => {
    const [first, ...others] = draft.offerings.filter((offering) => !isSpot(offering));
    if (missing === 0 || !isSpot(draft.offerings[0]) || first === undefined) return draft;
    missing--;
    const why = `${draft.why}, and this one is of its share of on-demand`;
    return { ...draft, offerings: [first, ...others], why, isOfOnDemandShare: true };
  });
}

function plannedClaim({ name, nodePool, pool, offerings, why, isOfOnDemandShare }: StaticDraft): PlannedNodeClaim {
  const { metadata, spec } = pool.pool.spec.template;
  const [{ instanceType, capacityType, zone, priceUsdPerHour }] = offerings;
  const option = pool.options.find((candidate) => candidate.instanceType.name === instanceType);
  const wanted = isOfOnDemandShare ? intersectAll(pool.requirements, offSpotRequirement(offerings)) : pool.requirements;
  const { daemonRequests = {} } = option ?? {};
  const allocatable = option?.instanceType.allocatable ?? {};
  return {
    name,
    nodePool,
    pods: [],
    offerings,
    requirements: onReservation(wanted, offerings[0]),
    labels: { ...metadata?.labels, [label.nodePool]: nodePool, [label.nodeClass]: pool.nodeClass.metadata.name },
    taints: pool.taints,
    startupTaints: spec.startupTaints ?? [],
    minValuesRelaxed: false,
    requests: daemonRequests,
    allocatable,
    nodeCost: nodeCost(pool.nodeCharges, priceUsdPerHour, daemonRequests, allocatable),
    reason: `${why}: ${instanceType} ${capacityType} in ${zone} at ${priceUsdPerHour} USD per hour`,
  };
}

/** All that the pool could buy and that its DaemonSets fit on, best first. */
function staticOfferings({ pool, options, spotHistory }: PoolOptions): readonly RankedOffering[] {
  const roomy = options.filter(({ daemonRequests, instanceType }) => fits(daemonRequests, instanceType.allocatable));
  const ordinary = new Set(withoutExotic(roomy.map(({ instanceType }) => instanceType)));
  const offerings = roomy
    .filter(({ instanceType }) => ordinary.has(instanceType))
    .flatMap(({ instanceType, offerings: sold }) =>
      sold.map((offering) => rankedOffering(instanceType.name, offering)),
    );
  return rankForPool(offerings, pool.metadata.name, spotHistory);
}
