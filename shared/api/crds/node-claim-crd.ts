import { nodeClaim } from "../node-claim.ts";
import { conditionColumn, type Definition } from "./definition.ts";
import { classFields, conditionFields, requirementFields, taintFields } from "./shared-fields.ts";

/** NodeClaim (karpenter-core §1.2). */
export const nodeClaimDefinition: Definition = {
  group: "karpenter.sh",
  version: "v1",
  kind: "NodeClaim",
  plural: "nodeclaims",
  category: "karpenter",
  scope: "Cluster",
  columns: [
    { name: "Type", path: ".metadata.labels.node\\.kubernetes\\.io/instance-type" },
    { name: "Capacity", path: ".metadata.labels.karpenter\\.sh/capacity-type" },
    { name: "Zone", path: ".metadata.labels.topology\\.kubernetes\\.io/zone" },
    { name: "Node", path: ".status.nodeName" },
    { name: "Ready", path: conditionColumn("Ready") },
    { name: "Age", path: ".metadata.creationTimestamp", type: "date" },
    { name: "ImageID", path: ".status.imageID", wide: true },
    { name: "ID", path: ".status.providerID", wide: true },
    { name: "NodePool", path: ".metadata.labels.karpenter\\.sh/nodepool", wide: true },
    { name: "NodeClass", path: ".spec.nodeClassRef.name", wide: true },
    { name: "Drifted", path: conditionColumn("Drifted"), wide: true },
  ],
  schema: nodeClaim,
  fields: {
    "": { description: "A request for one node, and what became of it." },
    spec: {
      description: "What the node must be like. It cannot be changed.",
      rules: [{ rule: "self == oldSelf", message: "spec is immutable" }],
    },
    ...classFields("spec.nodeClassRef"),
    ...requirementFields("spec.requirements", "NodeClaim"),
    ...taintFields("spec.taints", "Taints of the node; pods must tolerate them."),
    ...taintFields("spec.startupTaints", "Taints that something takes away once the node has started."),
    "spec.resources": { description: "What the node must have room for." },
    "spec.resources.requests": { description: "The least that the node must have." },
    "spec.expireAfter": {
      description: "The age at which the node is replaced, such as 720h, or Never.",
      keywords: { default: "720h" },
    },
    "spec.terminationGracePeriod": {
      description: "How long draining the node may take at the most.",
      keywords: { pattern: "^([0-9]+(s|m|h))+$" },
    },
    ...conditionFields,
    "status.nodeName": { description: "The node's name." },
    "status.providerID": { description: "The instance, as the node's spec names it." },
    "status.imageID": { description: "The image that the instance was launched with." },
    "status.capacity": { description: "What the node is expected to have." },
    "status.allocatable": { description: "What of it pods may use." },
    "status.lastPodEventTime": {
      description: "When a pod last came to the node or left it.",
      keywords: { format: "date-time" },
    },
  },
};
