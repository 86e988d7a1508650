import type { Kind, KubernetesObject } from "../api/kinds.ts";
import type { KubernetesPort } from "../ports.ts";
import { isManagedClass } from "../state/managed.ts";

/**
 * The API server without the NodePools and NodeClaims of other classes: EKS Auto Mode's, or another controller's. Who cannot see them
 * plans nothing from them, counts nothing of them and takes none of them away.
 */
export function withOwnClasses(kubernetes: KubernetesPort): KubernetesPort {
  return {
    ...bound(kubernetes),
    list: async <K extends Kind>(kind: K, options?: Parameters<KubernetesPort["list"]>[1]) => {
      const found = await kubernetes.list(kind, options);
      return kind === "NodePool" || kind === "NodeClaim" ? found.filter(isOwn) : found;
    },
    get: async (kind, reference) => {
      const found = await kubernetes.get(kind, reference);
      return found === undefined || isOwn(found) ? found : undefined;
    },
  };
}

/** Its methods as functions: a spread of an instance has none of them. */
export function bound(port: KubernetesPort): KubernetesPort {
  return {
    list: (kind, options) => port.list(kind, options),
    get: (kind, reference) => port.get(kind, reference),
    create: (kind, object, options) => port.create(kind, object, options),
    patch: (kind, reference, patch, options) => port.patch(kind, reference, patch, options),
    delete: (kind, reference, options) => port.delete(kind, reference, options),
    evict: (reference, options) => port.evict(reference, options),
  };
}

function isOwn(object: KubernetesObject): boolean {
  if (object.kind === "NodePool") return isManagedClass(object.spec.template.spec.nodeClassRef);
  return object.kind !== "NodeClaim" || isManagedClass(object.spec.nodeClassRef);
}
