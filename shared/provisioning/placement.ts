import { label } from "../api/labels.ts";
import type { PodRecord } from "../state/pod-record.ts";
import type { ClassOptions } from "./class-options.ts";
import { assignDomains, domainsOf, optionsIn } from "./domain-assignment.ts";
import type { ExistingCapacity } from "./existing-capacity.ts";
import type { NewDemand } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import type { PodClass } from "./pod-class.ts";
import type { Topology } from "./topology.ts";

/** A class with pods that still want a place, and the tier of NodePools that is to be tried. */
export interface OpenClass {
  readonly podClass: PodClass;
  readonly options: ClassOptions;
  readonly pods: readonly PodRecord[];
  readonly tier: number;
  /** Why each tier so far did not take them. */
  readonly refusals: readonly string[];
}

export interface PlacementRound {
  readonly demands: readonly NewDemand[];
  /** Classes whose pods no domain of this tier admits. */
  readonly refused: readonly OpenClass[];
}

/**
 * Places the pods of all classes: on existing nodes where one takes them, else into the topology domains of nodes to be made. Pod by
 * pod, because each placement changes the counts for the next; a class waits for the classes that its pods want to be near.
 */
export function placeClasses(
  open: readonly OpenClass[],
  existing: ExistingCapacity,
  topology: Topology,
): PlacementRound {
  const demands: NewDemand[] = [];
  const refused: OpenClass[] = [];
  let waiting = open;
  while (waiting.length > 0) {
    const ready = waiting.filter((entry) => !mustWait(entry, waiting, topology));
    const turn = ready.length > 0 ? ready : waiting;
    for (const entry of turn) {
      const placed = placeClass(entry, existing, topology);
      demands.push(...placed.demands);
      if (placed.refused !== undefined) refused.push(placed.refused);
    }
    waiting = waiting.filter((entry) => !turn.includes(entry));
  }
  return { demands, refused };
}

/** Whether the pods wait for others: they have required affinity to pods of which none is placed and some are still to be. */
function mustWait(entry: OpenClass, waiting: readonly OpenClass[], topology: Topology): boolean {
  const { constraints } = entry.podClass;
  return topology
    .of(constraints)
    .owned.some(
      (group) =>
        group.kind === "affinity" &&
        !group.matches(constraints) &&
        [...group.counts.values()].every((count) => count === 0) &&
        waiting.some((other) => other !== entry && group.matches(other.podClass.constraints)),
    );
}

interface PlacedClass {
  readonly demands: readonly NewDemand[];
  readonly refused?: OpenClass;
}

function placeClass(entry: OpenClass, existing: ExistingCapacity, topology: Topology): PlacedClass {
  const { podClass, options } = entry;
  const { constraints } = podClass;
  const tier = options.tiers[entry.tier] ?? [];
  const filler = existing.fillerFor(podClass, (key) => domainsOf(options.tiers.flat(), key, options.requirements));
  const byDomains = new Map<string, { domains: ReadonlyMap<string, string>; pods: PodRecord[] }>();
  const left: PodRecord[] = [];
  let refusal = "no NodePool is left to try";
  for (const pod of entry.pods) {
    if (filler.place(pod)) continue;
    const assignment = tier.length === 0 ? undefined : assignDomains(topology, constraints, options.requirements, tier);
    if (assignment?.kind === "assigned") {
      topology.record(constraints, assignment.domains);
      const key = JSON.stringify([...assignment.domains]);
      const group = byDomains.get(key) ?? { domains: assignment.domains, pods: [] };
      group.pods.push(pod);
      byDomains.set(key, group);
    } else {
      if (assignment !== undefined) refusal = assignment.reason;
      left.push(pod);
    }
  }
  const demands = [...byDomains.values()].map(({ domains, pods }) => ({
    podClass,
    requirements: options.requirements,
    domains,
    pods,
    options: optionsInAll(tier, domains),
  }));
  const refused = { ...entry, pods: left, tier: entry.tier + 1, refusals: [...entry.refusals, refusal] };
  return left.length === 0 ? { demands } : { demands, refused };
}

function optionsInAll(options: readonly NodeOption[], domains: ReadonlyMap<string, string>): readonly NodeOption[] {
  return [...domains].reduce(
    (left, [key, domain]) => (key === label.hostname ? left : optionsIn(left, key, domain)),
    options,
  );
}
