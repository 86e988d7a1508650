import { nodeOverlay } from "../node-overlay.ts";
import { conditionColumn, type Definition } from "./definition.ts";
import { conditionFields, requirementFields } from "./shared-fields.ts";

/** NodeOverlay (karpenter-core §1.3). */
export const nodeOverlayDefinition: Definition = {
  group: "karpenter.sh",
  version: "v1alpha1",
  kind: "NodeOverlay",
  plural: "nodeoverlays",
  shortNames: ["overlays"],
  category: "karpenter",
  scope: "Cluster",
  columns: [
    { name: "Ready", path: conditionColumn("Ready") },
    { name: "Age", path: ".metadata.creationTimestamp", type: "date" },
    { name: "Weight", path: ".spec.weight", type: "integer", wide: true },
  ],
  schema: nodeOverlay,
  fields: {
    "": { description: "Other prices, or more resources, for some instance types." },
    spec: {
      description: "Which instance types, and what is other of them.",
      rules: [
        {
          rule: "!(has(self.price) && has(self.priceAdjustment))",
          message: "price and priceAdjustment exclude each other",
        },
      ],
    },
    ...requirementFields("spec.requirements", "NodeOverlay"),
    "spec.price": { description: "The price in USD per hour, in the place of the provider's." },
    "spec.priceAdjustment": {
      description: "What is added to the provider's price: an amount, or a share such as -10%.",
    },
    "spec.capacity": {
      description: "Extended resources that the nodes have as well.",
      rules: [
        {
          rule: "self.all(resource, !(resource in ['cpu', 'memory', 'ephemeral-storage', 'pods']))",
          message: "capacity holds extended resources alone",
        },
      ],
    },
    "spec.weight": { description: "Where two overlays speak of the same thing, the heavier one counts." },
    ...conditionFields,
  },
};
