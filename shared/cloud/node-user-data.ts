import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { CapacityType, ClusterEndpoint } from "../ports.ts";
import { resolveAmiFamily } from "./ami-family.ts";
import { imageVersion } from "./image-version.ts";
import { registrationLabels, registrationTaints } from "./user-data/node-registration.ts";
import { type UserData, userData } from "./user-data/user-data.ts";

/** The user data of a NodeClaim's node, from what the claim, its class, the cluster and the offering say. */
export function nodeUserData(node: {
  readonly cluster: ClusterEndpoint;
  readonly nodeClaim: NodeClaim;
  readonly nodeClass: EC2NodeClass;
  readonly capacityType: CapacityType;
  readonly imageId: string;
  readonly maxPods: number;
}): UserData {
  const { cluster, nodeClaim, nodeClass, maxPods } = node;
  const { kubelet, instanceStorePolicy, userData: custom } = nodeClass.spec;
  const version = imageVersion(nodeClass, node.imageId);
  const bootstrap = {
    cluster,
    labels: registrationLabels(nodeClaim, node.capacityType),
    taints: registrationTaints(nodeClaim),
    maxPods,
    ...(kubelet && { kubelet }),
    ...(instanceStorePolicy && { instanceStorePolicy }),
    ...(version !== undefined && { imageVersion: version }),
  };
  return userData(resolveAmiFamily(nodeClass), bootstrap, custom);
}
