import { label } from "../api/labels.ts";
import { allows } from "../scheduling/requirements.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import { type AssignedDomains, type DomainChooser, DomainChoosers, type ZoneOrder } from "./domain-assignment.ts";
import type { ClassFiller, ExistingCapacity } from "./existing-capacity.ts";
import { lazily } from "./lazily.ts";
import type { NewDemand, Refusals, Unforced } from "./new-demand.ts";
import { zonesSold } from "./option-domains.ts";
import type { Refusal, RefusalDetail } from "./plan.ts";
import { type PodClass, priorityOf } from "./pod-class.ts";
import { refusedByAll } from "./refusals.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";
import { isEmptyEverywhere } from "./topology-rules.ts";
import type { Level, Way } from "./ways.ts";

/** A class with pods that still want a place, and the first way to new nodes that is to be tried. */
export interface OpenClass {
  readonly podClass: PodClass;
  /** The strictest first; never empty. */
  readonly levels: readonly Level[];
  readonly pods: readonly PodRecord[];
  /** Index of a way. */
  readonly from: number;
  /** NodePools that the pods leave to others. */
  readonly avoided: ReadonlySet<string>;
  /** By way, why it did not take them. */
  readonly refusals: Refusals;
}

export interface PlacementRound {
  readonly demands: readonly NewDemand[];
  /** Classes whose pods nothing admits. */
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
  zoneOrder: ZoneOrder,
): PlacementRound {
  const demands: NewDemand[] = [];
  const refused: OpenClass[] = [];
  const choosers = new DomainChoosers(topology, zoneOrder);
  let waiting = leastFreeFirst(open, topology);
  while (waiting.length > 0) {
    const expected = groupsThatCount(waiting, topology);
    const ready = waiting.filter((entry) => !mustWait(entry, expected, topology));
    const turn = new Set(ready.length > 0 ? ready : waiting);
    for (const entry of turn) {
      const placed = new ClassPlacement(entry, existing, choosers).place();
      demands.push(...placed.demands);
      if (placed.refused !== undefined) refused.push(placed.refused);
    }
    waiting = waiting.filter((entry) => !turn.has(entry));
  }
  return { demands, refused };
}

/** Groups that pods of some of these classes will be counted by. */
function groupsThatCount(open: readonly OpenClass[], topology: Topology): ReadonlySet<TopologyGroup> {
  const topologies = new Set(open.map((entry) => topology.of(strictestOf(entry))));
  return new Set([...topologies].flatMap(({ matched }) => matched));
}

function strictestOf({ levels, podClass }: OpenClass): PodConstraints {
  return levels[0]?.constraints ?? podClass.constraints;
}

/**
 * Within a priority, pods whose place matters to others come first, those with the fewest zones to go to before the rest: a pod that may
 * go anywhere must not take the one zone that another needs.
 */
function leastFreeFirst(open: readonly OpenClass[], topology: Topology): readonly OpenClass[] {
  return open
    .map((entry) => ({ entry, freedom: zonesOpenTo(entry, topology) }))
    .sort((a, b) => priorityOf(b.entry.podClass) - priorityOf(a.entry.podClass) || a.freedom - b.freedom)
    .map(({ entry }) => entry);
}

function zonesOpenTo(entry: OpenClass, topology: Topology): number {
  if (topology.of(strictestOf(entry)).keysToPin.length === 0) return Number.MAX_SAFE_INTEGER;
  return new Set(entry.levels[0]?.ways.flatMap(zonesOf)).size;
}

function zonesOf({ options, requirements }: Way): readonly string[] {
  const wanted = requirements.get(label.zone);
  const zones = zonesSold(options);
  return wanted === undefined ? zones : zones.filter((zone) => allows(wanted, zone));
}

/** Whether the pods wait for others: they want to be near pods of which none is placed and some are still to be. */
function mustWait(entry: OpenClass, expected: ReadonlySet<TopologyGroup>, topology: Topology): boolean {
  const { owned, isCountedBy } = topology.of(strictestOf(entry));
  return owned.some(
    (group) => group.kind === "affinity" && !isCountedBy(group) && isEmptyEverywhere(group) && expected.has(group),
  );
}

interface PlacedClass {
  readonly demands: readonly NewDemand[];
  readonly refused?: OpenClass;
}

type OpenDemand = NewDemand & { readonly pods: PodRecord[] };

/** Places the pods of one class: at each level of relaxation on existing nodes, then by each way to new ones (karpenter-core §2.4). */
class ClassPlacement {
  readonly #entry: OpenClass;
  readonly #levels: readonly PlacementLevel[];
  readonly #demands = new Map<AssignedDomains, OpenDemand>();

  constructor(entry: OpenClass, existing: ExistingCapacity, choosers: DomainChoosers) {
    this.#entry = entry;
    this.#levels = entry.levels.map((level) => ({
      level,
      filler: lazily(() => existing.fillerFor(level.constraints)),
      ways: level.ways
        .filter(({ index }) => index >= entry.from)
        .flatMap((way) => withoutPools(way, entry.avoided))
        .map((way) => ({
          way,
          chooser: lazily(() =>
            choosers.chooserFor(level.constraints, way.requirements, way.options, entry.pods.length),
          ),
        })),
    }));
  }

  /** Pods of one class fare alike: when one finds no place, the counts stay as they are and the next finds none either. */
  place(): PlacedClass {
    const { pods } = this.#entry;
    for (const [index, pod] of pods.entries()) {
      const refusals = this.#placePod(pod);
      if (refusals === undefined) continue;
      const refused = { ...this.#entry, pods: pods.slice(index), refusals };
      return { demands: [...this.#demands.values()], refused };
    }
    return { demands: [...this.#demands.values()] };
  }

  /** By way why there is no place; undefined when there is one. */
  #placePod(pod: PodRecord): Refusals | undefined {
    const tried: Tried[] = [];
    for (const { level, filler, ways } of this.#levels) {
      if (filler().place(pod)) return undefined;
      for (const { way, chooser } of ways) {
        const assignment = chooser().choose();
        if (assignment.kind === "assigned") {
          this.#demandFor(level, way, assignment, tried).pods.push(pod);
          for (const { counts, domain } of assignment.places()) counts.add(domain);
          return undefined;
        }
        tried.push({ way, refusal: assignment.refusal });
      }
    }
    return this.#refusalsOf(tried);
  }

  #demandFor({ constraints }: Level, way: Way, assignment: AssignedDomains, tried: readonly Tried[]): OpenDemand {
    const known = this.#demands.get(assignment);
    if (known !== undefined) return known;
    const { domains, options } = assignment;
    const { podClass, avoided } = this.#entry;
    const { requirements, index } = way;
    const unforced = unforcedOf(this.#entry, way);
    const refusals = this.#refusalsOf(tried);
    const placed = { domains, options, unforced, way: index, avoided, refusals };
    const demand = { podClass, constraints, requirements, pods: [], ...placed };
    this.#demands.set(assignment, demand);
    return demand;
  }

  #refusalsOf(tried: readonly Tried[]): Refusals {
    const refusals = [...this.#entry.refusals];
    for (const { way, refusal } of tried) {
      refusals[way.index] = withEarlier(refusedByAll(way.options, refusal()), refusals[way.index]);
    }
    return refusals;
  }
}

/** A way that did not take a pod; the reason is that of the moment, and is put into words only if it is wanted. */
interface Tried {
  readonly way: Way;
  readonly refusal: () => RefusalDetail;
}

/** NodePools that the pods avoid have refused before. */
function withEarlier(refused: readonly Refusal[], earlier: readonly Refusal[] = []): readonly Refusal[] {
  const pools = new Set(refused.map(({ nodePool }) => nodePool));
  return [...earlier.filter(({ nodePool }) => !pools.has(nodePool)), ...refused];
}

function withoutPools(way: Way, pools: ReadonlySet<string>): readonly Way[] {
  if (pools.size === 0) return [way];
  const options = way.options.filter(({ pool }) => !pools.has(pool));
  return options.length === 0 ? [] : [{ ...way, options }];
}

interface PlacementLevel {
  readonly level: Level;
  readonly filler: () => ClassFiller;
  readonly ways: readonly { readonly way: Way; readonly chooser: () => DomainChooser }[];
}

/** What the pods require alone, among NodePools of the same weight; of several node alternatives any, and so none's requirements. */
function unforcedOf({ podClass, levels }: OpenClass, { weight }: Way): Unforced {
  const last = levels.at(-1);
  const ways = last?.ways.filter((way) => way.weight === weight) ?? [];
  const [first] = ways;
  const alternatives = new Set(ways.map(({ requirements }) => requirements));
  return {
    constraints: last?.constraints ?? podClass.constraints,
    requirements: first !== undefined && alternatives.size === 1 ? first.requirements : new Map(),
    options: ways.length === 1 ? (first?.options ?? []) : [...new Set(ways.flatMap(({ options }) => options))],
  };
}
