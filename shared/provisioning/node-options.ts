import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { awsGroup, label } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";
import { describeNodePoolFaults, nodePoolFaults } from "../api/node-pool-faults.ts";
import type { Taint } from "../api/schema.ts";
import type { InstanceType, Offering } from "../cloud/instance-type.ts";
import { withoutUnavailable } from "../cloud/instance-types.ts";
import { zonesWithoutSubnet } from "../cloud/unavailable-offerings.ts";
import type { CapacityType } from "../ports.ts";
import {
  firstConflict,
  intersectAll,
  type Requirements,
  requirement,
  requirementsOf,
  requirementsOfLabels,
} from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import { conditionOf } from "../state/conditions.ts";
import { type DaemonProfile, daemonProfiles } from "../state/daemon-profile.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { DaemonOverhead, type NodeDaemons } from "./daemon-overhead.ts";
import { lazily } from "./lazily.ts";
import { type NodeCharges, nodeChargesOf } from "./node-cost.ts";
import { OptionMakings } from "./option-makings.ts";
import { slackPercentOf } from "./packing-slack.ts";
import type { Refusal, RefusalDetail } from "./plan.ts";
import { basisOf, PoolMemory } from "./pool-memory.ts";
import { type SpotHistory, spotHistoryOf } from "./pool-ranking.ts";
import { poolTypes } from "./pool-types.ts";
import { forOffering, uncountedNodes } from "./reserved-offerings.ts";
import { whyNoTypes } from "./why-no-types.ts";
import { withZonesOfIds, type ZoneIds, zoneIdsOf } from "./zone-ids.ts";

/** A NodePool that takes part in planning, with every node it could make. */
export interface PoolOptions {
  readonly pool: NodePool;
  readonly nodeClass: EC2NodeClass;
  /** Requirements and template labels of the pool together. */
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
  readonly options: readonly NodeOption[];
  /** USD per hour of each of its nodes, beside the instance. */
  readonly nodeCharges: NodeCharges;
  /** What its offerings are ranked by, beside their prices. */
  readonly spotHistory: SpotHistory;
  /** Why there are no options; absent where there are. */
  readonly whyNoOptions?: RefusalDetail;
}

/** An instance type with one capacity type, or one capacity reservation, in one NodePool. */
export interface NodeOption {
  readonly pool: string;
  readonly instanceType: InstanceType;
  readonly capacityType: CapacityType;
  /** Of all its offerings. */
  readonly reservationId?: string;
  /** The pool's requirements narrowed to this type and capacity type; zones still open. */
  readonly requirements: Requirements;
  readonly daemonRequests: Resources;
  /** The DaemonSets that run on such a node. */
  readonly daemons: readonly DaemonProfile[];
  /** Allocatable less the DaemonSets, and less the slack unless `isWhole`. */
  readonly free: Resources;
  /** For pods alone that nothing else of the pool holds (packing-slack.ts): no slack is left. */
  readonly isWhole?: true;
  /** Available ones in zones the pool admits. */
  readonly offerings: readonly Offering[];
}

export interface PlanningPools {
  /** Heavier first, then by name. */
  readonly pools: readonly PoolOptions[];
  /** Pools that take no part, and why. */
  readonly rejected: readonly Refusal[];
  readonly minValuesPolicy: Snapshot["settings"]["minValuesPolicy"];
  readonly zoneIds: ZoneIds;
}

/** Expands NodePools, all of a snapshot or others in their place, into the nodes they could make. */
export function planningPools(snapshot: Snapshot, nodePools = snapshot.nodePools): PlanningPools {
  const pools: PoolOptions[] = [];
  const rejected: Refusal[] = [];
  const daemons = new DaemonOverhead(daemonProfiles(snapshot));
  const slackPercent = slackPercentOf(snapshot.settings);
  const makings = new OptionMakings(uncountedNodes(snapshot.nodeClaims, snapshot.now), slackPercent);
  const basis = basisOf(snapshot);
  const ordered = [...nodePools].sort(
    (a, b) => weightOf(b) - weightOf(a) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  for (const pool of ordered) {
    const usable = usability(pool, snapshot);
    const made =
      "reason" in usable
        ? usable
        : remembered.of(pool, basis, () => poolOptions(pool, usable.nodeClass, snapshot, daemons, makings));
    if ("reason" in made) rejected.push({ nodePool: pool.metadata.name, ...made });
    else pools.push(made);
  }
  return {
    pools,
    rejected,
    minValuesPolicy: snapshot.settings.minValuesPolicy,
    zoneIds: zoneIdsOf(snapshot.nodeClasses),
  };
}

const remembered = new PoolMemory<PoolOptions | RefusalDetail>();

export function weightOf(pool: NodePool): number {
  return pool.spec.weight ?? 0;
}

/** Only ready, living, dynamic pools of our own class kind take part (karpenter-core §1.1). */
function usability(pool: NodePool, snapshot: Snapshot): { readonly nodeClass: EC2NodeClass } | RefusalDetail {
  const reference = pool.spec.template.spec.nodeClassRef;
  if (pool.metadata.deletionTimestamp !== undefined) {
    const reason = "the NodePool is being deleted";
    return { reason, key: "deletionTimestamp", found: "being deleted", accepted: "a NodePool that stays" };
  }
  if (pool.spec.replicas !== undefined) {
    const reason = "the NodePool is static (spec.replicas)";
    return { reason, key: "replicas", found: String(pool.spec.replicas), accepted: "a NodePool without spec.replicas" };
  }
  if (reference.group !== awsGroup || reference.kind !== "EC2NodeClass") {
    const found = `${reference.kind} of ${reference.group}`;
    const reason = `its node class is a ${found}, which is not ours`;
    return { reason, key: "nodeClassRef", found, accepted: `EC2NodeClass of ${awsGroup}` };
  }
  const faults = nodePoolFaults(pool);
  const [fault] = faults;
  if (fault !== undefined) {
    const reason = `it breaks the rules of a NodePool: ${describeNodePoolFaults(faults)}`;
    return { reason, key: fault.path, found: fault.found, accepted: fault.expected };
  }
  const nodeClass = snapshot.nodeClasses.find((candidate) => candidate.metadata.name === reference.name);
  if (nodeClass === undefined) {
    const names = snapshot.nodeClasses.map(({ metadata }) => metadata.name).sort();
    const accepted = names.length === 0 ? "an EC2NodeClass of that name" : `one of ${names.join(", ")}`;
    const reason = `EC2NodeClass ${reference.name} does not exist`;
    return { reason, key: "nodeClassRef", found: reference.name, accepted };
  }
  const notReady = [nodeClass, pool].find((object) => conditionOf(object, "Ready")?.status === "False");
  if (notReady === undefined) return { nodeClass };
  const title = `${notReady.kind} ${notReady.metadata.name}`;
  const { message, reason: why } = conditionOf(notReady, "Ready") ?? {};
  const found = message || why || "no message";
  return {
    reason: `${title} is not ready: ${found}`,
    key: "Ready",
    found,
    accepted: `${title} with the condition Ready True`,
  };
}

function poolOptions(
  pool: NodePool,
  nodeClass: EC2NodeClass,
  snapshot: Snapshot,
  daemons: DaemonOverhead,
  makings: OptionMakings,
): PoolOptions | RefusalDetail {
  const { template } = pool.spec;
  const stated = intersectAll(
    requirementsOf(template.spec.requirements),
    requirementsOfLabels({
      ...template.metadata?.labels,
      [label.nodePool]: pool.metadata.name,
      [label.nodeClass]: nodeClass.metadata.name,
    }),
  );
  const requirements = withZonesOfIds(stated, zoneIdsOf([nodeClass]));
  const taints = template.spec.taints ?? [];
  const known = poolTypes(pool.metadata.name, nodeClass, snapshot);
  if ("reason" in known) return { reason: known.reason, key: "nodeClassRef", found: nodeClass.metadata.name };
  const { unavailableOfferings, now } = snapshot;
  const unavailable = [...unavailableOfferings, ...zonesWithoutSubnet(nodeClass, unavailableOfferings, now)];
  const types = withoutUnavailable(known.types, unavailable, now).toSorted(byName);
  const options = types
    .filter((type) => firstConflict(requirements, type.requirements) === undefined)
    .flatMap((type) => typeOptions(pool, type, requirements, daemons.of(requirements, taints, type), makings));
  const nodeCharges = nodeChargesOf(nodeClass, snapshot.settings);
  const spotHistory = spotHistoryOf(snapshot);
  const made = { pool, nodeClass, requirements, taints, options, nodeCharges, spotHistory };
  return options.length > 0 ? made : { ...made, whyNoOptions: whyNoTypes(requirements, types, nodeClass, pool) };
}

function typeOptions(
  pool: NodePool,
  instanceType: InstanceType,
  poolRequirements: Requirements,
  daemons: NodeDaemons,
  makings: OptionMakings,
): readonly NodeOption[] {
  const rooms = makings.roomsOf(instanceType, daemons);
  return makings.marketsOf(instanceType, poolRequirements).flatMap((offerings): readonly NodeOption[] => {
    const [offering] = offerings;
    if (offering === undefined) return [];
    const { capacityType, reservationId } = offering;
    const ofType = forOffering(instanceType.requirements, offering);
    if (ofType !== instanceType.requirements && firstConflict(poolRequirements, ofType) !== undefined) return [];
    // Few options of few NodePools are asked for them, and they are most of what an option takes to make.
    const requirements = lazily(() => {
      const ofMarket = new Map([[label.capacityType, requirement(label.capacityType, "In", [capacityType])]]);
      return intersectAll(poolRequirements, ofType, ofMarket);
    });
    return rooms.flatMap((free, index): readonly NodeOption[] =>
      free === undefined
        ? []
        : [
            {
              pool: pool.metadata.name,
              instanceType,
              capacityType,
              ...(reservationId !== undefined && { reservationId }),
              get requirements() {
                return requirements();
              },
              daemonRequests: daemons.requests,
              daemons: daemons.daemons,
              free,
              ...(index > 0 && { isWhole: true }),
              offerings,
            },
          ],
    );
  });
}

/** So that the catalog's order decides nothing. */
function byName(a: InstanceType, b: InstanceType): number {
  return a.name < b.name ? -1 : 1;
}
