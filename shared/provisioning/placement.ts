import type { PodRecord } from "../state/pod-record.ts";
import type { ClassOptions } from "./class-options.ts";
import { type DomainAssignment, DomainChooser } from "./domain-assignment.ts";
import type { ExistingCapacity } from "./existing-capacity.ts";
import type { NewDemand } from "./new-demand.ts";
import type { PodClass } from "./pod-class.ts";
import type { Topology } from "./topology.ts";
import { isEmptyEverywhere } from "./topology-rules.ts";

/** A class with pods that still want a place, and the first tier of NodePools that is to be tried. */
export interface OpenClass {
  readonly podClass: PodClass;
  readonly options: ClassOptions;
  readonly pods: readonly PodRecord[];
  readonly tier: number;
  /** By tier, why it did not take them. */
  readonly refusals: readonly string[];
}

export interface PlacementRound {
  readonly demands: readonly NewDemand[];
  /** Classes whose pods no tier admits. */
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
        isEmptyEverywhere(group) &&
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
  const filler = existing.fillerFor(podClass);
  const choosers = options.tiers.map((tier) => new DomainChooser(topology, constraints, options.requirements, tier));
  const demands = new Map<string, NewDemand & { readonly pods: PodRecord[] }>();
  const left: PodRecord[] = [];
  let leftRefusals = entry.refusals;
  for (const pod of entry.pods) {
    if (filler.place(pod)) continue;
    const place = firstTierThatAdmits(choosers, entry);
    if (place.assignment === undefined) {
      leftRefusals = place.refusals;
      left.push(pod);
      continue;
    }
    const { domains, options: inDomains } = place.assignment;
    topology.record(constraints, domains);
    const key = JSON.stringify([place.tier, ...domains]);
    const demand = demands.get(key) ?? {
      podClass,
      requirements: options.requirements,
      domains,
      pods: [],
      options: inDomains,
      anyOptions: options.tiers[place.tier] ?? [],
      tier: place.tier,
      refusals: place.refusals,
    };
    demand.pods.push(pod);
    demands.set(key, demand);
  }
  const placed = { demands: [...demands.values()] };
  return left.length === 0
    ? placed
    : { ...placed, refused: { ...entry, pods: left, tier: options.tiers.length, refusals: leftRefusals } };
}

interface Place {
  readonly tier: number;
  readonly refusals: readonly string[];
  readonly assignment?: Extract<DomainAssignment, { kind: "assigned" }>;
}

/** A topology rule may refuse the heavier NodePools for one pod and admit them for the next. */
function firstTierThatAdmits(choosers: readonly DomainChooser[], entry: OpenClass): Place {
  const refusals = [...entry.refusals];
  for (const [tier, chooser] of choosers.entries()) {
    if (tier < entry.tier) continue;
    const assignment = chooser.choose();
    if (assignment.kind === "assigned") return { tier, refusals, assignment };
    refusals[tier] = assignment.reason;
  }
  return { tier: choosers.length, refusals };
}
