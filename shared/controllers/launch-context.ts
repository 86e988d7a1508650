import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { label, wellKnownLabels } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import { isWanting, type LaunchClaim, type LaunchGroup } from "../cloud/launch-groups.ts";
import type { LaunchProblem, LaunchRequests } from "../cloud/launch-situation.ts";
import type { RequestBudget } from "../cloud/request-budget.ts";
import { launchRequests } from "../cloud/run-instances.ts";
import { addressesOf } from "../cloud/subnet-addresses.ts";
import { isIpv6Cluster } from "../cloud/user-data/node-bootstrap.ts";
import type { Ports } from "../ports.ts";
import { poolTypes } from "../provisioning/pool-types.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import type { LaunchState } from "./launch-state.ts";
import type { LeaseOptions } from "./lease.ts";

export interface LaunchPass {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly lease: LeaseOptions;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
  readonly errors: DeferredErrors;
  /** As the pass before this one left it. */
  readonly budget: RequestBudget;
}

/** One group's launch within a pass. */
export interface GroupContext extends LaunchPass {
  readonly state: LaunchState;
  readonly requests: LaunchRequests;
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
  readonly nodeClass: EC2NodeClass | undefined;
  /** What each of its nodes takes of its subnet, with its pods. */
  readonly addressesPerNode: number;
}

/** What a group's launch needs of its NodeClaim, its class and the pass. */
export async function groupContext(
  pass: LaunchPass,
  group: LaunchGroup,
  claims: readonly LaunchClaim[],
  state: LaunchState,
): Promise<GroupContext> {
  const { ports, settings, snapshot } = pass;
  const leader = claims.find(({ nodeClaim }) => nodeClaim.metadata.name === group.leader)?.nodeClaim;
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === group.nodeClass);
  const obstacle = classObstacle(group.nodeClass, nodeClass);
  if (leader === undefined || nodeClass === undefined || obstacle !== undefined) {
    const requests = requestsWithoutClass(settings, obstacle);
    return { ...pass, state, requests, instanceTypes: new Map(), nodeClass, addressesPerNode: 0 };
  }
  const known = poolTypes(group.nodePool, nodeClass, snapshot);
  if ("reason" in known) {
    const unreadable = classProblem("NodeClassNotReady", known.reason);
    const requests = requestsWithoutClass(settings, unreadable);
    return { ...pass, state, requests, instanceTypes: new Map(), nodeClass, addressesPerNode: 0 };
  }
  const instanceTypes = new Map(known.types.map((type) => [type.name, type]));
  const cluster = await ports.cluster.describe();
  const nodeClaim = withoutInstanceLabels(leader);
  const members = new Set(group.members.filter(isWanting).map(({ name }) => name));
  const perNode = claims
    .filter((claim) => members.has(claim.nodeClaim.metadata.name))
    .map((claim) => addressesOf(claim.nodeClaim, nodeClass, isIpv6Cluster(cluster)));
  const addressesPerNode = Math.max(1, ...perNode);
  const subnetRoom = { freeAddresses: (id: string) => state.freeAddresses(id), perNode: addressesPerNode };
  const requests = launchRequests({ cluster, nodeClaim, nodeClass, instanceTypes, subnetRoom });
  return { ...pass, state, requests, instanceTypes, nodeClass, addressesPerNode };
}

/** Nothing is launched for a class that is not ready: its subnets and images are not known (karpenter-aws §1.5, launch gate). */
function classObstacle(name: string, nodeClass: EC2NodeClass | undefined): LaunchProblem | undefined {
  if (nodeClass === undefined) return classProblem("NodeClassNotFound", `EC2NodeClass ${name} does not exist`);
  if (isTrue(nodeClass, "Ready")) return undefined;
  const message = conditionOf(nodeClass, "Ready")?.message ?? "its status is not known";
  return classProblem("NodeClassNotReady", `EC2NodeClass ${name} is not ready: ${message}`);
}

function classProblem(reason: string, message: string): LaunchProblem {
  return { kind: "problem", scope: "class", reason, message };
}

/** What was launched before is still found by its tag; nothing more is sent. */
function requestsWithoutClass(
  { clusterName }: Settings,
  problem = classProblem("NodeClaimNotFound", "the group's leader is gone"),
): LaunchRequests {
  return { clusterName, target: () => problem, request: () => problem };
}

/** The leader as it was when it was planned: labels of its own machine are not the other members', and would change a replay. */
function withoutInstanceLabels(leader: NodeClaim): NodeClaim {
  const isKept = (key: string) => key === label.nodePool || key === label.nodeClass || !wellKnownLabels.has(key);
  const labels = Object.entries(leader.metadata.labels ?? {}).filter(([key]) => isKept(key));
  return { ...leader, metadata: { ...leader.metadata, labels: Object.fromEntries(labels) } };
}
