import { capacityBuffer } from "../capacity-buffer.ts";
import type { Definition } from "./definition.ts";
import { conditionFields } from "./shared-fields.ts";

/** CapacityBuffer of the Kubernetes autoscalers (karpenter-core §1.4). */
export const capacityBufferDefinition: Definition = {
  group: "autoscaling.x-k8s.io",
  version: "v1beta1",
  kind: "CapacityBuffer",
  plural: "capacitybuffers",
  shortNames: ["cb"],
  category: "autoscaling",
  scope: "Namespaced",
  columns: [
    { name: "Strategy", path: ".spec.provisioningStrategy" },
    { name: "PodTemplate", path: ".status.podTemplateRef.name" },
    { name: "Replicas", path: ".status.replicas", type: "integer" },
    { name: "ConditionsType", path: ".status.conditions[*].type" },
    { name: "ConditionsStatus", path: ".status.conditions[*].status" },
    { name: "ConditionsReason", path: ".status.conditions[*].reason" },
    { name: "Age", path: ".metadata.creationTimestamp", type: "date" },
  ],
  schema: capacityBuffer,
  fields: {
    "": { description: "Spare room that the cluster keeps for pods to come." },
    spec: {
      description: "What the room is made for, and how much of it there is.",
      rules: [
        {
          rule: "!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)",
          message: "beside podTemplateRef, replicas or limits say how much",
        },
        {
          rule: "!(has(self.podTemplateRef) && has(self.scalableRef))",
          message: "podTemplateRef and scalableRef exclude each other",
        },
      ],
    },
    "spec.provisioningStrategy": {
      description: "How the room is kept.",
      keywords: { minLength: 0 },
    },
    "spec.podTemplateRef": { description: "A PodTemplate of the same namespace." },
    "spec.podTemplateRef.name": { description: "The PodTemplate's name." },
    "spec.scalableRef": { description: "A workload of the same namespace." },
    "spec.scalableRef.apiGroup": { description: "The workload's API group." },
    "spec.scalableRef.kind": { description: "The workload's kind." },
    "spec.scalableRef.name": { description: "The workload's name." },
    "spec.replicas": { description: "Room for so many pods." },
    "spec.percentage": { description: "Room for this share of the workload's replicas." },
    "spec.limits": { description: "What the pods of the buffer may request together." },
    ...conditionFields,
    "status.podTemplateRef": { description: "The PodTemplate that the room is made for." },
    "status.podTemplateGeneration": { description: "The generation of that PodTemplate." },
    "status.replicas": { description: "The number of pods that the room is for." },
  },
};
