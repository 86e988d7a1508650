import type { DefaultSpreadConstraint } from "../../shared/api/scheduler-config.ts";
import type { ObjectMeta } from "../../shared/api/schema.ts";
import type { Service } from "../../shared/api/service.ts";
import type { ReplicationController } from "../../shared/api/workloads.ts";
import type { SelectorSources } from "../../shared/state/snapshot.ts";
import { type PlanningPod, pendingPods } from "./pods.ts";

type Labels = Readonly<Record<string, string>>;

export function serviceNamed(name: string, selector?: Labels | null, namespace = "default"): Service {
  const spec = selector === undefined ? {} : { selector: selector === null ? null : { ...selector } };
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec };
}

export function replicationControllerNamed(name: string, selector: Labels): ReplicationController {
  const metadata = { name, namespace: "default" };
  const template = { spec: { containers: [] } };
  return { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { selector: { ...selector }, template } };
}

export function sources(
  owners: SelectorSources["owners"],
  services: readonly Service[] = [],
): { readonly selectorSources: SelectorSources } {
  return { selectorSources: { owners, services } };
}

/** `maxSkew` 1 over a key for all pods that state no spread of their own. */
export function spreadByDefault(topologyKey: string, changes: Partial<DefaultSpreadConstraint> = {}) {
  const constraint = { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule" as const, ...changes };
  return { settings: { defaultTopologySpread: [constraint] } };
}

/** Pods of the app `name` that the workload `owner` controls. */
export function podsOwnedBy(
  owner: { readonly apiVersion: string; readonly kind: string; readonly metadata: ObjectMeta },
  count: number,
  input: PlanningPod = {},
  prefix: string = owner.metadata.name,
) {
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? metadata.name, controller: true };
  return pendingPods(count, prefix, {
    app: metadata.name,
    ...input,
    metadata: { ownerReferences: [reference], ...input.metadata },
  });
}
