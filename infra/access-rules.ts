import { configurationName } from "../functions/webhook/match-conditions.ts";
import type { FunctionName } from "./bundling.ts";

type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/** What someone may do with resources of the Kubernetes API, and why: a reason for each verb. */
export interface Grant {
  readonly apiGroup: string;
  readonly resources: readonly string[];
  readonly reasons: Readonly<Partial<Record<Verb, string>>>;
  /** With it, of these objects alone; `create` cannot be held to names. */
  readonly names?: readonly string[];
}

/** Those that have access to the cluster; `later` has none. */
export type Caller = Exclude<FunctionName, "later">;

const core = "";
const own = "karpenter.sh";

/** What all functions may do in our own namespace (design rule 4). */
export const ownNamespaceGrants: readonly Grant[] = [
  grant("coordination.k8s.io", ["leases"], {
    get: "see who holds a Lease of ours, before each act that cannot be undone",
    create: "take a Lease for the first time",
    patch: "take, renew and give back a Lease",
  }),
  grant(core, ["configmaps"], {
    get: "read the shared facts: catalog, unavailable offerings, learned memory",
    create: "write the first of such facts",
    patch: "write one such fact, or take it away when it is old",
  }),
];

/** What all functions may do in all of the cluster. */
export const commonGrants: readonly Grant[] = [
  grant("coordination.k8s.io", ["leases"], { list: "see whether a Karpenter holds its Lease" }, [
    "karpenter-leader-election",
  ]),
  grant("apps", ["deployments"], { list: "see whether a Karpenter has ready replicas" }),
  grant(own, ["nodeclaims"], { list: "know which nodes are ours, and what is to become of them" }),
  grant(core, ["events"], { create: "tell on an object what became of it" }),
];

/** What a plan is made from. */
const planReads: readonly Grant[] = [
  grant(core, ["pods", "nodes", "persistentvolumes", "persistentvolumeclaims"], {
    list: "see the pods, the nodes that they are on or may go to, and the volumes that hold them to zones",
    watch: "catch a warm copy of them up",
  }),
  grant("storage.k8s.io", ["csinodes"], {
    list: "see how many volumes a node can attach",
    watch: "catch a warm copy of them up",
  }),
  grant(core, ["namespaces"], { list: "see which namespaces a pod affinity term selects" }),
  grant(core, ["limitranges"], { list: "fill in the requests of a template's pods" }),
  grant(core, ["podtemplates"], { get: "see what pods a CapacityBuffer keeps room for" }),
  grant("apps", ["daemonsets"], { list: "see what each new node will run of itself" }),
  grant("apps", ["deployments", "statefulsets", "replicasets"], {
    get: "see what workload a CapacityBuffer keeps room for",
  }),
  grant("autoscaling.x-k8s.io", ["capacitybuffers"], {
    list: "see for which pods to come room is kept",
    get: "write its status on the newest version",
  }),
  grant("policy", ["poddisruptionbudgets"], { list: "see which pods may not be evicted" }),
  grant("storage.k8s.io", ["storageclasses"], { list: "see in which zones a volume can be made" }),
  grant(own, ["nodepools", "nodeoverlays"], {
    list: "see what nodes may be made, and what they cost",
    get: "write the status on the newest version",
  }),
  grant("karpenter.k8s.aws", ["ec2nodeclasses"], { list: "see how nodes are made" }),
];

/** Default topology spread selects by these: whose pods belong together. Not read without it. */
export const spreadGrants: readonly Grant[] = [
  grant(core, ["services", "replicationcontrollers"], { list: "see which pods belong together" }),
  grant("apps", ["replicasets", "statefulsets"], { list: "see which pods belong together" }),
];

/** Those that make plans, and so need {@link spreadGrants}. */
export const planners: readonly Caller[] = ["provisioning", "disruption"];

const claimGet = grant(own, ["nodeclaims"], { get: "read the one NodeClaim again before it is written or deleted" });
const nodeGet = grant(core, ["nodes"], { get: "read the one Node again before it is written" });

/** What each function reads, beyond {@link commonGrants}. */
export const readGrants: Readonly<Record<Caller, readonly Grant[]>> = {
  provisioning: [...planReads, claimGet, nodeGet, get("karpenter.k8s.aws", "ec2nodeclasses")],
  disruption: [...planReads, claimGet, nodeGet],
  lifecycle: [
    claimGet,
    nodeGet,
    grant(core, ["nodes", "pods"], {
      list: "find the nodes of NodeClaims, and the pods that are meant for them",
      watch: "catch a warm copy of them up",
    }),
    grant(core, ["pods"], { get: "read the one pod again before it is nominated" }),
    grant("policy", ["poddisruptionbudgets"], { list: "find budgets that keep a node from being drained" }),
    grant(own, ["nodepools"], {
      get: "see for which form of a NodePool a node registers, or does not",
      list: "see how long a NodePool's nodes must have been the same",
    }),
    get("karpenter.k8s.aws", "ec2nodeclasses"),
  ],
  termination: [
    claimGet,
    grant(core, ["nodes"], {
      get: "read the one Node again before it is written",
      list: "find the nodes of a NodeClaim",
      watch: "catch a warm copy of them up",
    }),
    grant(core, ["pods"], { list: "see what is still on a node, and whether pods have a new place" }),
    grant(core, ["persistentvolumeclaims"], { get: "see which volumes of a pod are to be detached" }),
    grant("policy", ["poddisruptionbudgets"], { list: "see which pods may not be evicted" }),
    grant("storage.k8s.io", ["volumeattachments"], { list: "wait for volumes that are still attached" }),
  ],
  interruption: [
    claimGet,
    nodeGet,
    grant(own, ["nodepools"], { list: "see which NodePools replace nodes upon a rebalance recommendation" }),
  ],
  "garbage-collection": [
    claimGet,
    grant(core, ["nodes"], {
      get: "read the one Node again before it is written",
      list: "find nodes without an instance",
      watch: "catch a warm copy of them up",
    }),
    grant(core, ["pods"], {
      list: "see what is on a node whose instance is gone, and which pods wait while the webhook is silent",
      watch: "catch a warm copy of them up",
    }),
    grant("storage.k8s.io", ["volumeattachments"], { list: "see what is attached to a node whose instance is gone" }),
    grant(own, ["nodepools"], {
      list: "see whether a NodePool's first nodes all die",
      get: "see for which form of a NodePool a node has died",
    }),
    get("karpenter.k8s.aws", "ec2nodeclasses"),
    grant(
      "admissionregistration.k8s.io",
      ["validatingwebhookconfigurations"],
      {
        get: "see whether the webhook is called",
      },
      [configurationName],
    ),
  ],
  catalog: [
    claimGet,
    grant(own, ["nodepools"], { list: "see for which types a class is used" }),
    grant("karpenter.k8s.aws", ["ec2nodeclasses"], {
      list: "find the classes to look up",
      get: "write what was found on the newest version",
    }),
  ],
};

const claimPatch = "write what is done with the NodeClaim, before it is done";
const claimStatus = grant(own, ["nodeclaims/status"], { patch: "tell on the NodeClaim how far it is" });
const claimDelete = "start the end of a NodeClaim; its finalizer keeps it until its node is drained";

/** What each function changes. Left out in observe mode. */
export const writeGrants: Readonly<Record<Caller, readonly Grant[]>> = {
  provisioning: [
    grant(own, ["nodeclaims"], {
      create: "write the intent of a node before it is launched",
      patch: claimPatch,
      delete: "give up a NodeClaim that nothing can be launched for",
    }),
    claimStatus,
    grant(own, ["nodepools/finalizers"], {
      update: "a NodeClaim's owner reference blocks the deletion of its NodePool, for which admission asks this",
    }),
    grant(own, ["nodepools/status"], { patch: "tell whether a NodePool can be used, and how much it has" }),
    grant(own, ["nodepools"], {
      patch: "write the hash of what its nodes drift from, an annotation as Karpenter has it",
    }),
    grant(own, ["nodeoverlays/status"], { patch: "tell whether a NodeOverlay takes effect" }),
    grant("autoscaling.x-k8s.io", ["capacitybuffers/status"], {
      patch: "tell whether the room of a CapacityBuffer is there",
    }),
    grant(core, ["nodes"], { patch: "note on a leaving node which of its pods have a place" }),
  ],
  lifecycle: [
    grant(core, ["nodes"], {
      patch: "set the labels and taints that a kubelet may not, and open the node for its pods",
    }),
    grant(core, ["pods/status"], { patch: "nominate a ready node's planned pods to it (status.nominatedNodeName)" }),
    grant(own, ["nodeclaims"], { patch: claimPatch, delete: "give up a node that does not register, or is gone" }),
    grant(own, ["nodeclaims/finalizers"], {
      update: "a node's owner reference blocks the deletion of its NodeClaim, for which admission asks this",
    }),
    claimStatus,
  ],
  termination: [
    grant(core, ["pods/eviction"], { create: "drain a node within the budgets of its pods" }),
    grant(core, ["pods"], { delete: "end pods whose time is up, or whose instance is gone" }),
    grant(core, ["nodes"], {
      patch: "taint a leaving node, and take its finalizer away at the end",
      delete: "take a node away whose instance has ended",
    }),
    grant(own, ["nodeclaims"], {
      patch: "count the steps, and take the finalizer away at the end",
      delete: claimDelete,
    }),
    claimStatus,
  ],
  interruption: [
    grant(core, ["nodes"], { patch: "mark and taint a node that EC2 takes back" }),
    grant(own, ["nodeclaims"], { delete: claimDelete }),
  ],
  disruption: [
    grant(core, ["nodes"], { patch: "taint a node that is to go, and give it back when it is needed after all" }),
    grant(own, ["nodeclaims"], { delete: claimDelete }),
    claimStatus,
  ],
  catalog: [
    grant("karpenter.k8s.aws", ["ec2nodeclasses"], { patch: "write hashes, the placement group and the finalizer" }),
    grant("karpenter.k8s.aws", ["ec2nodeclasses/status"], { patch: "tell what the class's selectors found" }),
    grant(own, ["nodeclaims"], { patch: "stamp the drift hashes of NodeClaims that Karpenter made anew" }),
  ],
  "garbage-collection": [
    grant(
      "admissionregistration.k8s.io",
      ["validatingwebhookconfigurations"],
      {
        patch: "narrow the webhook's configuration while the webhook does not answer: its breaker",
      },
      [configurationName],
    ),
    grant(core, ["pods"], { delete: "end the pods of a node whose instance is gone" }),
    grant(core, ["nodes"], {
      patch: "take the finalizer of a node away whose instance is gone",
      delete: "take a node away whose instance is gone",
    }),
    grant(own, ["nodeclaims"], { delete: "end NodeClaims whose instance is gone" }),
  ],
};

/** The webhook's own process, in its namespace. Nothing of pods, nodes or other Secrets. */
export function webhookNamespaceGrants(secret: string): readonly Grant[] {
  return [
    grant(
      core,
      ["secrets"],
      {
        get: "read the certificate that the replicas share",
        patch: "renew it",
      },
      [secret],
    ),
    grant(core, ["secrets"], { create: "make it at the first start, and when somebody deleted it" }),
  ];
}

/** The webhook's own process, in all of the cluster. */
export const webhookGrants: readonly Grant[] = [
  grant(
    "admissionregistration.k8s.io",
    ["validatingwebhookconfigurations"],
    {
      get: "see whom the API server trusts",
      patch: "have it trust the next certificate authority (caBundle)",
    },
    [configurationName],
  ),
  grant(own, ["nodepools", "nodeclaims"], { list: "show Karpenter's gauges" }),
];

function get(apiGroup: string, resource: string): Grant {
  return grant(apiGroup, [resource], { get: "read the one class of a NodeClaim" });
}

function grant(
  apiGroup: string,
  resources: readonly string[],
  reasons: Grant["reasons"],
  names?: readonly string[],
): Grant {
  return { apiGroup, resources, reasons, ...(names !== undefined && { names }) };
}
