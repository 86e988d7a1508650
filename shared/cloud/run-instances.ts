import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { clusterOwnershipTag, label, tag } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { ClusterEndpoint, RunInstancesRequest } from "../ports.ts";
import { firstConflict } from "../scheduling/requirements.ts";
import { resolveAmiFamily } from "./ami-family.ts";
import { blockDevices } from "./block-devices.ts";
import { imageRequirements } from "./class-compatibility.ts";
import type { InstanceType } from "./instance-type.ts";
import type { LaunchAttempt, LaunchProblem, LaunchRequests, LaunchTarget } from "./launch-situation.ts";
import { efaResource, launchTraits } from "./launch-traits.ts";
import { networkInterfaces } from "./network-interfaces.ts";
import { nodeUserData } from "./node-user-data.ts";
import { placementGroupOf } from "./placement-group.ts";
import { requestedPlacement } from "./placement-request.ts";
import { type SubnetRoom, subnetFor } from "./subnet-addresses.ts";
import { unavailableSubnets } from "./unavailable-offerings.ts";
import { isIpv6Cluster } from "./user-data/node-bootstrap.ts";

/** Everything but the record that a group's request is made of. */
export interface LaunchContext {
  readonly cluster: ClusterEndpoint;
  /** The leader: its labels, taints and NodePool are those of every member. */
  readonly nodeClaim: NodeClaim;
  /** Ready, or without status (offline): what its status lacks altogether is a placeholder, such as `ami-al2023-amd64`. */
  readonly nodeClass: EC2NodeClass;
  /** By name, as this class runs them. */
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
  /** Absent: no subnet's addresses are known. */
  readonly subnetRoom?: SubnetRoom;
}

/** The launch protocol's view of a group's NodeClaim and NodeClass. */
export function launchRequests(context: LaunchContext): LaunchRequests {
  const placed = placementGroupOf(context.nodeClass);
  return {
    clusterName: context.cluster.name,
    ...(placed.kind === "group" && { placementGroupId: placed.group.id }),
    target: (offering, unavailable, now) => {
      const instanceType = context.instanceTypes.get(offering.instanceType);
      if (instanceType === undefined) return unknownType(offering.instanceType);
      const excluded = unavailableSubnets(unavailable, now);
      return launchTarget(context.nodeClass, instanceType, offering.zone, excluded, context.subnetRoom);
    },
    request: (attempt) => runInstancesRequest(context, attempt),
  };
}

/** The image and the subnet of an offering: the class's first image that suits it, and the subnet with the most free addresses. */
export function launchTarget(
  nodeClass: EC2NodeClass,
  instanceType: InstanceType,
  zone: string,
  excludedSubnets: ReadonlySet<string>,
  room: SubnetRoom = unknownRoom,
): LaunchTarget | LaunchProblem {
  const imageId = imageFor(nodeClass, instanceType);
  if (imageId === undefined) {
    return problem("offering", "AMINotFound", `no image of ${nodeClass.metadata.name} suits ${instanceType.name}`);
  }
  const subnets = nodeClass.status?.subnets ?? [{ id: `subnet-${zone}`, zone }];
  const usable = subnets.filter((one) => one.zone === zone && !excludedSubnets.has(one.id)).map(({ id }) => id);
  if (usable.length === 0) {
    return problem("offering", "SubnetResolutionFailed", `${nodeClass.metadata.name} has no usable subnet in ${zone}`);
  }
  const subnet = subnetFor(usable, room);
  if (subnet === undefined) {
    const wanted = `${room.perNode} free addresses, for a node and its pods`;
    const reason = "InsufficientFreeAddressesInSubnet";
    return { ...problem("offering", reason, `no subnet in ${zone} has ${wanted}`), fullSubnets: usable };
  }
  return { kind: "target", subnetId: subnet.subnetId, imageId, most: subnet.most };
}

const unknownRoom: SubnetRoom = { freeAddresses: () => undefined, perNode: 1 };

/** The request of an attempt, from its record, the NodeClaim and the NodeClass alone: a replay is the same to the byte. */
export function runInstancesRequest(
  context: LaunchContext,
  attempt: LaunchAttempt,
): { readonly kind: "request"; readonly request: RunInstancesRequest } | LaunchProblem {
  const { nodeClass, nodeClaim, cluster } = context;
  const instanceType = context.instanceTypes.get(attempt.instanceType);
  if (instanceType === undefined) return unknownType(attempt.instanceType);
  const traits = launchTraits(nodeClaim);
  const identity = nodeIdentity(nodeClass);
  if (identity.kind === "problem") return identity;
  const group = requestedPlacement(nodeClass, traits);
  if (group.kind === "problem") return group;
  const network = networkInterfaces(nodeClass, {
    efaInterfaces: traits.usesEfa ? (instanceType.capacity[efaResource] ?? 0) : 0,
    isIpv6: isIpv6Cluster(cluster),
  });
  if (network.kind === "invalid") return problem("class", "InvalidNetworkInterfaces", network.reason);
  const data = nodeUserData({ ...context, ...attempt, maxPods: instanceType.capacity.pods ?? 0 });
  if (data.kind === "problem") return data;
  const { detailedMonitoring, cpuOptions } = nodeClass.spec;
  const request: RunInstancesRequest = {
    clientToken: attempt.clientToken,
    minCount: 1,
    maxCount: attempt.count,
    instanceType: attempt.instanceType,
    imageId: attempt.imageId,
    subnetId: attempt.subnetId,
    securityGroupIds: identity.securityGroupIds,
    capacityType: attempt.capacityType,
    ...reservation(attempt),
    instanceProfile: identity.instanceProfile,
    userData: data.text,
    ...(network.interfaces && { networkInterfaces: network.interfaces }),
    ...(traits.tenancy === "dedicated" && { tenancy: traits.tenancy }),
    ...(group.placementGroup && { placementGroup: group.placementGroup }),
    ...(cpuOptions?.nestedVirtualization !== undefined && { nestedVirtualization: cpuOptions.nestedVirtualization }),
    ...(traits.usesEnclaves && { enclave: true }),
    ...(detailedMonitoring !== undefined && { detailedMonitoring }),
    metadataOptions: metadataOptions(nodeClass, attempt.zone),
    blockDeviceMappings: blockDevices(nodeClass),
    tags: launchTags(context, attempt),
  };
  return { kind: "request", request };
}

/** Isolated regions do not know `httpProtocolIpv6` (karpenter-aws §4.3). */
function metadataOptions({ spec }: EC2NodeClass, zone: string): RunInstancesRequest["metadataOptions"] {
  const { httpEndpoint, httpProtocolIPv6, httpPutResponseHopLimit, httpTokens } = spec.metadataOptions;
  const isIsolated = zone.startsWith("us-iso");
  return {
    httpEndpoint,
    ...(!isIsolated && { httpProtocolIpv6: httpProtocolIPv6 }),
    httpPutResponseHopLimit,
    httpTokens,
  };
}

function reservation({ reservationId, reservationType, interruptible }: LaunchAttempt): Partial<RunInstancesRequest> {
  return {
    ...(reservationId !== undefined && { capacityReservationId: reservationId }),
    ...(reservationType !== undefined && { capacityReservationType: reservationType }),
    ...(interruptible === true && { capacityReservationInterruptible: interruptible }),
  };
}

/** Karpenter's tags, so that either controller recognises the instance (karpenter-aws §4.4), and the group's. */
function launchTags(
  { cluster, nodeClaim, nodeClass }: LaunchContext,
  attempt: LaunchAttempt,
): RunInstancesRequest["tags"] {
  const only = attempt.members.length === 1 ? attempt.members[0] : undefined;
  return {
    ...nodeClass.spec.tags,
    [clusterOwnershipTag(cluster.name)]: "owned",
    [tag.clusterName]: cluster.name,
    [tag.nodePool]: nodeClaim.metadata.labels?.[label.nodePool] ?? "",
    [tag.nodeClass]: nodeClass.metadata.name,
    [tag.launchGroup]: attempt.group,
    ...(only !== undefined && { [tag.nodeClaim]: only }),
  };
}

/** The first image whose requirements the type meets, as in karpenter-aws §1.2. */
function imageFor(nodeClass: EC2NodeClass, instanceType: InstanceType): string | undefined {
  const images = imageRequirements(nodeClass);
  if (images === undefined) {
    const arch = [...(instanceType.requirements.get(label.arch)?.values ?? [])][0] ?? "amd64";
    return `ami-${resolveAmiFamily(nodeClass).toLowerCase()}-${arch}`;
  }
  const index = images.findIndex((image) => firstConflict(instanceType.requirements, image) === undefined);
  return nodeClass.status?.amis?.[index]?.id;
}

function nodeIdentity(
  nodeClass: EC2NodeClass,
):
  | { readonly kind: "identity"; readonly instanceProfile: string; readonly securityGroupIds: readonly string[] }
  | LaunchProblem {
  const { metadata, spec, status } = nodeClass;
  const placeholder = status === undefined ? `profile-of-${spec.role ?? metadata.name}` : undefined;
  const instanceProfile = spec.instanceProfile ?? status?.instanceProfile ?? placeholder;
  if (instanceProfile === undefined) {
    return problem("class", "InstanceProfileNotFound", `${metadata.name} has no instance profile yet`);
  }
  const groups = status?.securityGroups ?? [{ id: `sg-${metadata.name}` }];
  const securityGroupIds = groups.map((one) => one.id).sort();
  if (securityGroupIds.length === 0) {
    return problem("class", "SecurityGroupsNotFound", `${metadata.name} selects no security group`);
  }
  return { kind: "identity", instanceProfile, securityGroupIds };
}

function unknownType(name: string): LaunchProblem {
  return problem("offering", "InstanceTypeResolutionFailed", `${name} is not in the catalog of this NodeClass`);
}

function problem(scope: LaunchProblem["scope"], reason: string, message: string): LaunchProblem {
  return { kind: "problem", scope, reason, message };
}
