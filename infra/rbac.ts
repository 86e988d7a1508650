import { controllersGroup } from "../shared/runtime/config.ts";
import type { FunctionName } from "./bundling.ts";

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What every controller reads to see the world. No Secrets, and ConfigMaps in our own namespace alone. */
const reads: readonly PolicyRule[] = [
  rule("", ["pods", "nodes", "namespaces", "persistentvolumes", "persistentvolumeclaims"], ["get", "list", "watch"]),
  rule("apps", ["daemonsets"], ["get", "list", "watch"]),
  // What CapacityBuffers refer to is read one by one; LimitRanges fill in the requests of templates.
  rule("apps", ["deployments", "statefulsets", "replicasets"], ["get"]),
  rule("", ["podtemplates"], ["get"]),
  rule("", ["limitranges"], ["get", "list", "watch"]),
  rule("autoscaling.x-k8s.io", ["capacitybuffers"], ["get", "list", "watch"]),
  rule("policy", ["poddisruptionbudgets"], ["get", "list", "watch"]),
  rule("storage.k8s.io", ["storageclasses", "csinodes", "volumeattachments"], ["get", "list", "watch"]),
  rule("karpenter.sh", ["nodepools", "nodeclaims", "nodeoverlays"], ["get", "list", "watch"]),
  rule("karpenter.k8s.aws", ["ec2nodeclasses"], ["get", "list", "watch"]),
  // Events tell people, on the object itself, what became of it: a pod, why it has no node or which one it will have.
  rule("", ["events"], ["create", "patch"]),
];

/** Leases and small shared facts (design rule 4). */
const ownNamespace: readonly PolicyRule[] = [
  rule("coordination.k8s.io", ["leases"], ["get", "list", "create", "update", "patch"]),
  rule("", ["configmaps"], ["get", "list", "create", "patch"]),
];

const nodeClaimStatus = rule("karpenter.sh", ["nodeclaims/status"], ["patch"]);

/** What each function changes, beyond what all of them may do. */
const writes: Readonly<Partial<Record<FunctionName, readonly PolicyRule[]>>> = {
  provisioning: [
    rule("karpenter.sh", ["nodeclaims"], ["create", "patch", "delete"]),
    nodeClaimStatus,
    // Whether a NodePool can be used, and how much it has, is told on it by the one that plans with it.
    rule("karpenter.sh", ["nodepools/status"], ["patch"]),
    // Whether a NodeOverlay takes effect is known where plans are made, and told on it.
    rule("karpenter.sh", ["nodeoverlays/status"], ["patch"]),
    // The same holds for the room of a CapacityBuffer.
    rule("autoscaling.x-k8s.io", ["capacitybuffers/status"], ["patch"]),
  ],
  lifecycle: [
    rule("", ["nodes"], ["patch"]),
    // A ready node's planned pods are nominated to it (status.nominatedNodeName).
    rule("", ["pods/status"], ["patch"]),
    rule("karpenter.sh", ["nodeclaims"], ["patch", "delete"]),
    // A node's owner reference blocks the deletion of its NodeClaim, for which admission asks this.
    rule("karpenter.sh", ["nodeclaims/finalizers"], ["update"]),
    nodeClaimStatus,
  ],
  termination: [
    rule("", ["pods/eviction"], ["create"]),
    rule("", ["pods"], ["delete"]),
    rule("", ["nodes"], ["patch", "delete"]),
    rule("karpenter.sh", ["nodeclaims"], ["patch", "delete"]),
    nodeClaimStatus,
  ],
  interruption: [
    rule("", ["nodes"], ["patch"]),
    rule("karpenter.sh", ["nodeclaims"], ["patch", "delete"]),
    nodeClaimStatus,
  ],
  disruption: [
    rule("", ["nodes"], ["patch"]),
    rule("karpenter.sh", ["nodeclaims"], ["patch", "delete"]),
    nodeClaimStatus,
  ],
  catalog: [
    rule("karpenter.k8s.aws", ["ec2nodeclasses", "ec2nodeclasses/status"], ["patch"]),
    // Drift hashes of claims that Karpenter made are stamped anew.
    rule("karpenter.sh", ["nodeclaims"], ["patch"]),
  ],
  "garbage-collection": [
    rule("", ["pods"], ["delete"]),
    rule("", ["nodes"], ["patch", "delete"]),
    rule("karpenter.sh", ["nodeclaims"], ["patch", "delete"]),
    nodeClaimStatus,
  ],
};

/** Default topology spread selects by these: whose pods belong together. Not read without it. */
const spreadReads: readonly PolicyRule[] = [
  rule("", ["services", "replicationcontrollers"], ["list"]),
  rule("apps", ["replicasets", "statefulsets"], ["list"]),
];

/** Roles and bindings for the groups that the access entries put our functions in. */
export function rbacObjects(namespace: string, { hasDefaultSpread }: { readonly hasDefaultSpread: boolean }): object[] {
  return [
    ...clusterWide("journeyman", controllersGroup, hasDefaultSpread ? [...reads, ...spreadReads] : reads),
    ...Object.entries(writes).flatMap(([name, rules]) =>
      clusterWide(`journeyman-${name}`, `journeyman:${name}`, rules),
    ),
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "journeyman", namespace },
      rules: ownNamespace,
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "journeyman", namespace },
      roleRef: roleReference("Role", "journeyman"),
      subjects: [group(controllersGroup)],
    },
  ];
}

function clusterWide(name: string, groupName: string, rules: readonly PolicyRule[]): object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: roleReference("ClusterRole", name),
      subjects: [group(groupName)],
    },
  ];
}

function roleReference(kind: "Role" | "ClusterRole", name: string): object {
  return { apiGroup: "rbac.authorization.k8s.io", kind, name };
}

function group(name: string): object {
  return { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name };
}

function rule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}
