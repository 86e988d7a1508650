import type { Requirements } from "../scheduling/requirements.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import type { NodeOption } from "./node-options.ts";
import type { Refusal } from "./plan.ts";
import type { PodClass } from "./pod-class.ts";

/** Pods of one class that need new nodes in the same domains. */
export interface NewDemand {
  readonly podClass: PodClass;
  /** The class's at the level of relaxation in use. */
  readonly constraints: PodConstraints;
  /** Of the node alternative in use. */
  readonly requirements: Requirements;
  /** Domain by topology key, decided for these pods. */
  readonly domains: ReadonlyMap<string, string>;
  readonly pods: readonly PodRecord[];
  /** Nodes that could hold one of them there, all of NodePools of one weight. */
  readonly options: readonly NodeOption[];
  /** The same pods with nothing but what they require, in any domain: what a lower bound may assume. */
  readonly unforced: Unforced;
  /** Index of the way in use. */
  readonly way: number;
  /** NodePools that the pods leave to others. */
  readonly avoided: ReadonlySet<string>;
  /** By way, why the ones before did not take them. */
  readonly refusals: Refusals;
}

export interface Unforced {
  readonly constraints: PodConstraints;
  readonly requirements: Requirements;
  readonly options: readonly NodeOption[];
}

/** Pods that the packing did not place. */
export interface LeftDemand {
  readonly demand: NewDemand;
  readonly pods: number;
  /** One for each NodePool that might have taken them. */
  readonly refusals: readonly Refusal[];
  /** NodePools that they are to leave to others; the rest of the same weight is tried again. Absent: all have refused. */
  readonly avoided?: ReadonlySet<string>;
}

/** By way: one for each of its NodePools; undefined where it was not asked. */
export type Refusals = readonly (readonly Refusal[] | undefined)[];

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
