import type { KubernetesObject } from "./kinds.ts";
import { isDnsSubdomain, labelKeyFault, labelValueFault } from "./label-syntax.ts";
import { limitRangeFaults } from "./limit-range-validation.ts";
import { nodeClaimFaults } from "./node-claim-validation.ts";
import { nodeOverlayFaults } from "./node-overlay-validation.ts";
import { podFaults } from "./pod-validation.ts";
import { type Fault, fault, within } from "./rules.ts";
import { claimFaults } from "./volume-claim-validation.ts";
import type { StatefulSet } from "./workloads.ts";

/**
 * What an API server would still refuse of an object whose schema is satisfied. For files only: what a cluster sends has been
 * admitted, and a NodeClaim or a pod must not drop out of sight there for an old sin.
 */
export function objectFaults(object: KubernetesObject): readonly Fault[] {
  const { name, labels = {} } = object.metadata;
  return [
    ...fault(["metadata", "name"], isDnsSubdomain(name) ? undefined : "lower-case letters, digits, - and ."),
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...fault(["metadata", "labels", key], labelKeyFault(key), JSON.stringify(key)),
      ...fault(["metadata", "labels", key], labelValueFault(value)),
    ]),
    ...kindFaults(object),
  ];
}

function kindFaults(object: KubernetesObject): readonly Fault[] {
  if (object.kind === "NodePool") {
    const long = object.metadata.name.length > 63;
    return fault(["metadata", "name"], long ? "at most 63 characters, as it becomes a label's value" : undefined);
  }
  if (object.kind === "CapacityBuffer") {
    const { podTemplateRef, scalableRef } = object.spec;
    return fault(["spec"], (podTemplateRef ?? scalableRef) ? undefined : "podTemplateRef or scalableRef", "neither");
  }
  switch (object.kind) {
    case "NodeOverlay":
      return nodeOverlayFaults(object);
    case "LimitRange":
      return limitRangeFaults(object);
    case "NodeClaim":
      return within(["spec"], nodeClaimFaults(object.spec));
    case "PersistentVolumeClaim":
      return within(["spec"], claimFaults(object.spec));
    case "StatefulSet":
      return [...podFaults(object), ...claimTemplateFaults(object)];
    default:
      return podFaults(object);
  }
}

function claimTemplateFaults({ spec: { volumeClaimTemplates = [] } }: StatefulSet): readonly Fault[] {
  return volumeClaimTemplates.flatMap(({ spec }, index) =>
    within(["spec", "volumeClaimTemplates", index, "spec"], claimFaults(spec)),
  );
}
