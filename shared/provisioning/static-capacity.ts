import { label } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";
import { nodeClaimName } from "../cloud/node-claim-name.ts";
import { type RankedOffering, rankedOffering, rankOfferings } from "../cloud/ranking.ts";
import { spreadSpot } from "../cloud/spot-spread.ts";
import { fits, parseResources } from "../scheduling/resources.ts";
import { type ClusterNode, clusterNodes } from "../state/cluster-nodes.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { type StaticPool, staticPools } from "../state/static-pools.ts";
import { withinClusterLimits } from "./cluster-limits.ts";
import { withoutExotic } from "./exotic-types.ts";
import { type PlanningPools, type PoolOptions, planningPools } from "./node-options.ts";
import type { PlannedNodeClaim, ProvisioningPlan } from "./plan.ts";
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
  readonly shortfall?: StaticShortfall;
}

interface StaticDraft {
  readonly name: string;
  readonly nodePool: string;
  readonly pool: PoolOptions;
  readonly offerings: PlannedNodeClaim["offerings"];
  readonly why: string;
}

/**
 * The NodeClaims that bring each ready static NodePool to its replicas (karpenter-core §1.4). Leaving nodes count for nothing but the
 * limit on nodes. A name belongs to a place among the replicas, so that a pass that is repeated meets the claims that it has made.
 */
export function planStaticCapacity(snapshot: Snapshot): StaticCapacityPlan {
  const claimed = clusterNodes(snapshot).filter(({ nodeClaim }) => nodeClaim !== undefined);
  const lacking = staticPools(snapshot.nodePools)
    .map((pool) => missingNodes(pool, claimed))
    .filter(({ names, shortfall }) => names.length > 0 || shortfall !== undefined);
  if (lacking.length === 0) return { nodeClaims: [], shortfalls: [], spotSpreadUsdPerHour: 0 };
  const ready = lacking.map(({ pool }) => asDynamic(pool));
  const pools = planningPools(snapshot, ready);
  const places = new ReservedPlaces(pools.pools.flatMap(({ options }) => options));
  const drafted = lacking.map((missing) => draftsOf(missing, pools, places));
  const spread = spreadSpot(
    drafted.flatMap(({ drafts }) => drafts),
    spotFleet(snapshot.nodeClaims),
    snapshot.settings.spotSpreadShare,
  );
  const { allowed, refused } = withinClusterLimits(spread.claims, snapshot);
  return {
    nodeClaims: allowed.map(plannedClaim),
    shortfalls: [
      ...lacking.flatMap(({ shortfall }) => shortfall ?? []),
      ...drafted.flatMap(({ shortfall }) => shortfall ?? []),
      ...refused.map(({ claim, refusal }) => ({ nodePool: claim.nodePool, nodes: 1, reason: refusal.reason })),
    ],
    spotSpreadUsdPerHour: spread.extraUsdPerHour,
  };
}

/** A plan for pods with the nodes of static NodePools before its own: nothing that holds as many nodes costs less. */
export function withStaticCapacity(plan: ProvisioningPlan, fixed: StaticCapacityPlan): ProvisioningPlan {
  const prices = fixed.nodeClaims.map(({ offerings }) => offerings.map(({ priceUsdPerHour }) => priceUsdPerHour));
  const sum = (pick: (offers: readonly number[]) => number) => prices.reduce((total, one) => total + pick(one), 0);
  return {
    ...plan,
    nodeClaims: [...fixed.nodeClaims, ...plan.nodeClaims],
    priceUsdPerHour: plan.priceUsdPerHour + sum(([first = 0]) => first),
    lowerBoundUsdPerHour: plan.lowerBoundUsdPerHour + sum((offers) => Math.min(...offers)),
    spotSpreadUsdPerHour: plan.spotSpreadUsdPerHour + fixed.spotSpreadUsdPerHour,
  };
}

function missingNodes(pool: StaticPool, claimed: readonly ClusterNode[]): MissingNodes {
  const { name, uid = name } = pool.metadata;
  const own = claimed.filter(({ nodeClaim }) => nodeClaim?.metadata.labels?.[label.nodePool] === name);
  const active = own.filter(({ leaving }) => !leaving).length;
  const missing = Math.max(0, pool.spec.replicas - active);
  const limit = parseResources(pool.spec.limits).nodes;
  const count = Math.min(missing, Math.max(0, (limit ?? Number.POSITIVE_INFINITY) - own.length));
  const taken = new Set(claimed.map(({ nodeClaim }) => nodeClaim?.metadata.name));
  const names = freeNames(name, uid, count, taken);
  if (count === missing) return { pool, active, names };
  const reason = `its limit of ${limit} nodes leaves room for ${count}: ${own.length} are there, ${own.length - active} of them leaving`;
  return { pool, active, names, shortfall: { nodePool: name, nodes: missing - count, reason } };
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

function plannedClaim({ name, nodePool, pool, offerings, why }: StaticDraft): PlannedNodeClaim {
  const { metadata, spec } = pool.pool.spec.template;
  const [{ instanceType, capacityType, zone, priceUsdPerHour }] = offerings;
  const option = pool.options.find((candidate) => candidate.instanceType.name === instanceType);
  return {
    name,
    nodePool,
    pods: [],
    offerings,
    requirements: onReservation(pool.requirements, offerings[0]),
    labels: { ...metadata?.labels, [label.nodePool]: nodePool, [label.nodeClass]: pool.nodeClass.metadata.name },
    taints: pool.taints,
    startupTaints: spec.startupTaints ?? [],
    minValuesRelaxed: false,
    requests: option?.daemonRequests ?? {},
    allocatable: option?.instanceType.allocatable ?? {},
    reason: `${why}: ${instanceType} ${capacityType} in ${zone} at ${priceUsdPerHour} USD per hour`,
  };
}

/** All that the pool could buy and that its DaemonSets fit on, best first. */
function staticOfferings({ options }: PoolOptions): readonly RankedOffering[] {
  const roomy = options.filter(({ daemonRequests, instanceType }) => fits(daemonRequests, instanceType.allocatable));
  const ordinary = new Set(withoutExotic(roomy.map(({ instanceType }) => instanceType)));
  const offerings = roomy
    .filter(({ instanceType }) => ordinary.has(instanceType))
    .flatMap(({ instanceType, offerings: sold }) =>
      sold.map((offering) => rankedOffering(instanceType.name, offering)),
    );
  return rankOfferings(offerings);
}
