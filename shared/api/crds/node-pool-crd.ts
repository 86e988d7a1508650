import { soundNodePool } from "../node-pool.ts";
import { conditionColumn, type Definition } from "./definition.ts";
import {
  classFields,
  conditionFields,
  immutableClassKind,
  labelFields,
  requirementFields,
  taintFields,
} from "./shared-fields.ts";

const template = "spec.template.spec";

/** NodePool (karpenter-core §1.1). */
export const nodePoolDefinition: Definition = {
  group: "karpenter.sh",
  version: "v1",
  kind: "NodePool",
  plural: "nodepools",
  category: "karpenter",
  scope: "Cluster",
  columns: [
    { name: "NodeClass", path: ".spec.template.spec.nodeClassRef.name" },
    { name: "Nodes", path: ".status.nodes" },
    { name: "Ready", path: conditionColumn("Ready") },
    { name: "Age", path: ".metadata.creationTimestamp", type: "date" },
    { name: "Weight", path: ".spec.weight", type: "integer", wide: true },
    { name: "CPU", path: ".status.resources.cpu", wide: true },
    { name: "Memory", path: ".status.resources.memory", wide: true },
  ],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.nodes" },
  schema: soundNodePool,
  fields: {
    "": { description: "What nodes may be launched for pods that have none, and how they are given back." },
    spec: {
      description: "What nodes may be launched, how many, and when they may be disrupted.",
      rules: [
        {
          rule: "has(self.replicas) == has(oldSelf.replicas)",
          message: "replicas may neither appear nor go: a static NodePool stays one",
        },
        {
          rule: "!has(self.replicas) || !has(self.limits) || self.limits.all(resource, resource == 'nodes')",
          message: "beside replicas, limits may hold nodes alone",
        },
        { rule: "!(has(self.replicas) && has(self.weight))", message: "beside replicas there is no weight" },
      ],
    },
    "spec.template": { description: "What each NodeClaim of the pool is made from." },
    "spec.template.metadata": { description: "Labels and annotations of NodeClaims and nodes." },
    ...labelFields("spec.template.metadata.labels"),
    "spec.template.metadata.annotations": { description: "Annotations of NodeClaims and nodes." },
    [template]: { description: "The spec of each NodeClaim, without requests." },
    ...classFields(`${template}.nodeClassRef`, immutableClassKind),
    ...requirementFields(`${template}.requirements`, "NodePool"),
    ...taintFields(`${template}.taints`, "Taints of the nodes; pods must tolerate them."),
    ...taintFields(`${template}.startupTaints`, "Taints that something takes away once a node has started."),
    [`${template}.expireAfter`]: { description: "The age at which a node is replaced, such as 720h, or Never." },
    [`${template}.terminationGracePeriod`]: { description: "How long draining a node may take at the most." },
    "spec.disruption": { description: "When nodes that run may be given back or replaced." },
    "spec.disruption.consolidateAfter": {
      description: "How long a node's pods must have been the same before it may be consolidated, or Never.",
    },
    "spec.disruption.consolidationPolicy": { description: "Which nodes may be consolidated." },
    "spec.disruption.budgets": {
      description: "How many nodes may leave at a time; the strictest budget in force counts.",
      keywords: { "x-kubernetes-list-type": "atomic" },
    },
    "spec.disruption.budgets[]": {
      description: "A limit for nodes that leave at a time.",
      rules: [
        { rule: "has(self.schedule) == has(self.duration)", message: "schedule and duration are set together or not" },
      ],
    },
    "spec.disruption.budgets[].nodes": { description: 'A count such as "5", or a share such as "10%".' },
    "spec.disruption.budgets[].reasons": {
      description: "The reasons that the budget is about; all without it.",
      keywords: { "x-kubernetes-list-type": "set" },
    },
    "spec.disruption.budgets[].schedule": {
      description: "When the budget's window begins: five cron fields in UTC, or a macro such as @daily.",
      keywords: { pattern: schedulePattern() },
    },
    "spec.disruption.budgets[].duration": { description: "How long the budget's window is, in hours and minutes." },
    "spec.limits": { description: "What the nodes of the pool may have together; nodes counts them." },
    "spec.weight": { description: "Heavier pools are tried first." },
    "spec.replicas": { description: "A fixed number of nodes, whatever pods there are." },
    ...conditionFields,
    "status.nodes": { description: "How many nodes the pool has.", keywords: { default: 0 } },
    "status.resources": { description: "What the nodes of the pool have together." },
    "status.nodeClassObservedGeneration": { description: "The class's generation that the pool was last seen with." },
  },
};

/** A macro, or anything with five parts: the controller reads the parts (karpenter-core §1.1). */
function schedulePattern(): string {
  return `^@(annually|yearly|monthly|weekly|daily|midnight|hourly)|${Array(5).fill(".+").join("\\s")}$`;
}
