import type { Requirements } from "../scheduling/requirements.ts";
import type { PodRecord } from "../state/pod-record.ts";
import type { NodeOption } from "./node-options.ts";
import type { PodClass } from "./pod-class.ts";

/** Pods of one class that need new nodes in the same domains. */
export interface NewDemand {
  readonly podClass: PodClass;
  /** Of the OR-term in use. */
  readonly requirements: Requirements;
  /** Domain by topology key, decided for these pods. */
  readonly domains: ReadonlyMap<string, string>;
  readonly pods: readonly PodRecord[];
  /** Nodes that could hold one of them there, all of one tier. */
  readonly options: readonly NodeOption[];
  /** The same in any domain. */
  readonly anyOptions: readonly NodeOption[];
  readonly tier: number;
  /** By tier, why the ones before did not take them. */
  readonly refusals: readonly string[];
}

/** Pods that must share a node, and how often this lot of them occurs. */
export interface Unit {
  readonly parts: readonly UnitPart[];
  readonly count: number;
}

export interface UnitPart {
  /** Index into the list of demands. */
  readonly demand: number;
  readonly pods: number;
}
