import type { KubernetesObject } from "./kinds.ts";
import { isDnsSubdomain, labelKeyFault, labelValueFault } from "./label-syntax.ts";
import { nodeClaimFaults } from "./node-claim-validation.ts";
import { nodeOverlayFaults } from "./node-overlay-validation.ts";
import { podFaults } from "./pod-validation.ts";
import { type Fault, fault, within } from "./rules.ts";

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
  if (object.kind === "NodeOverlay") return nodeOverlayFaults(object);
  return object.kind === "NodeClaim" ? within(["spec"], nodeClaimFaults(object.spec)) : podFaults(object);
}
