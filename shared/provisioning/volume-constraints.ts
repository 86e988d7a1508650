import { ebsDriver } from "../cloud/attach-limits.ts";
import { intersectAll, type Requirements } from "../scheduling/requirements.ts";
import { addResources, type Resources } from "../scheduling/resources.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { Attachment } from "../state/volume-needs.ts";

const prefix = "attachable-volumes/";

/** The resource by which planning counts the volumes of a driver on a node; no kubelet knows it. */
export function attachmentResource(driver: string): string {
  return `${prefix}${driver}`;
}

/** Without what only planning counts: what a NodeClaim may ask for. */
export function withoutAttachments(resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([name]) => !name.startsWith(prefix)));
}

/** What the volumes of a class of pods ask. */
export interface ClassVolumes {
  /** Where they can be; at least one. */
  readonly alternatives: readonly Requirements[];
  /** Those that each pod has for itself. */
  readonly own: readonly Attachment[];
  /** Those that are shared with other pods and not bound yet. */
  readonly unbound: readonly Attachment[];
}

/**
 * Constraints narrowed to where the pods' volumes can be, with one attachment for each volume that is theirs alone, if instance types
 * limit its driver. Topology spread goes on looking at what the pods themselves require (karpenter-core §2.8).
 */
export function withVolumes(constraints: PodConstraints, { alternatives, own, unbound }: ClassVolumes): PodConstraints {
  const isFree = alternatives.length === 1 && alternatives[0]?.size === 0;
  if (isFree && own.length === 0 && unbound.length === 0) return constraints;
  const counted = own.filter(isLimited);
  return {
    ...constraints,
    nodeAlternatives: constraints.nodeAlternatives.flatMap((wanted) =>
      alternatives.map((place) => intersectAll(wanted, place)),
    ),
    requests: addResources(constraints.requests, ...counted.map(({ driver }) => ({ [attachmentResource(driver)]: 1 }))),
    unboundClaims: unbound.filter(isLimited).map(({ claim }) => claim),
  };
}

/** EBS: its volumes are zonal, and instance types limit them. */
function isLimited({ driver }: Attachment): boolean {
  return driver === ebsDriver;
}
