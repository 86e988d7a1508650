import { label } from "../api/labels.ts";
import { attachLimit, ebsDriver } from "../cloud/attach-limits.ts";
import type { Snapshot } from "./snapshot.ts";

export type AttachLimitWorld = Pick<Snapshot, "csiNodes" | "nodeClasses" | "catalog">;

/**
 * How many volumes the nodes of a cluster can attach: what a driver has reported of the node, as kube-scheduler's NodeVolumeLimits
 * counts, and until the EBS driver has, what its instance type and class lead one to expect.
 */
export class AttachLimits {
  readonly #csiNodes: ReadonlyMap<string, AttachLimitWorld["csiNodes"][number]>;
  readonly #nodeClasses: ReadonlyMap<string, AttachLimitWorld["nodeClasses"][number]>;
  readonly #types: ReadonlyMap<string, AttachLimitWorld["catalog"]["types"][number]>;

  constructor({ csiNodes, nodeClasses, catalog }: AttachLimitWorld) {
    this.#csiNodes = new Map(csiNodes.map((each) => [each.metadata.name, each]));
    this.#nodeClasses = new Map(nodeClasses.map((each) => [each.metadata.name, each]));
    this.#types = new Map(catalog.types.map((each) => [each.name, each]));
  }

  /** By driver; a driver that is missing has no limit. */
  of(nodeName: string, labels: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
    const drivers = this.#csiNodes.get(nodeName)?.spec.drivers ?? [];
    const limits = new Map(
      drivers.flatMap(({ name, allocatable }) =>
        allocatable?.count === undefined ? [] : [[name, allocatable.count] as const],
      ),
    );
    const type = this.#types.get(labels[label.instanceType] ?? "");
    if (type === undefined || drivers.some(({ name }) => name === ebsDriver)) return limits;
    return limits.set(ebsDriver, attachLimit(type, this.#nodeClasses.get(labels[label.nodeClass] ?? "")));
  }
}
