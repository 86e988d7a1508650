import { label } from "../api/labels.ts";
import { allows } from "../scheduling/requirements.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { type DomainAssignment, DomainChooser } from "./domain-assignment.ts";
import type { ClassFiller, ExistingCapacity } from "./existing-capacity.ts";
import { lazily } from "./lazily.ts";
import type { NewDemand, Refusals, Unforced } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import type { Refusal } from "./plan.ts";
import { type PodClass, priorityOf } from "./pod-class.ts";
import { refusedByAll } from "./refusals.ts";
import type { Topology } from "./topology.ts";
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
): PlacementRound {
  const demands: NewDemand[] = [];
  const refused: OpenClass[] = [];
  let waiting = leastFreeFirst(open, topology);
  while (waiting.length > 0) {
    const ready = waiting.filter((entry) => !mustWait(entry, waiting, topology));
    const turn = ready.length > 0 ? ready : waiting;
    for (const entry of turn) {
      const placed = new ClassPlacement(entry, existing, topology).place();
      demands.push(...placed.demands);
      if (placed.refused !== undefined) refused.push(placed.refused);
    }
    waiting = waiting.filter((entry) => !turn.includes(entry));
  }
  return { demands, refused };
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

function zonesOpenTo({ podClass, levels }: OpenClass, topology: Topology): number {
  const [strictest] = levels;
  if (topology.of(strictest?.constraints ?? podClass.constraints).keysToPin.length === 0)
    return Number.MAX_SAFE_INTEGER;
  return new Set(strictest?.ways.flatMap(zonesOf)).size;
}

function zonesOf({ options, requirements }: Way): readonly string[] {
  const zones = zonesByOptions.get(options) ?? [
    ...new Set(options.flatMap(({ offerings }) => offerings.map(({ zone }) => zone))),
  ];
  zonesByOptions.set(options, zones);
  const wanted = requirements.get(label.zone);
  return wanted === undefined ? zones : zones.filter((zone) => allows(wanted, zone));
}

/** Asked anew in each attempt. */
const zonesByOptions = new WeakMap<readonly NodeOption[], readonly string[]>();

/** Whether the pods wait for others: they want to be near pods of which none is placed and some are still to be. */
function mustWait(entry: OpenClass, waiting: readonly OpenClass[], topology: Topology): boolean {
  const strictest = entry.levels[0]?.constraints ?? entry.podClass.constraints;
  return topology
    .of(strictest)
    .owned.some(
      (group) =>
        group.kind === "affinity" &&
        !group.matches(strictest) &&
        isEmptyEverywhere(group) &&
        waiting.some((other) => other !== entry && group.matches(other.podClass.constraints)),
    );
}

interface PlacedClass {
  readonly demands: readonly NewDemand[];
  readonly refused?: OpenClass;
}

type OpenDemand = NewDemand & { readonly pods: PodRecord[] };
type Assigned = Extract<DomainAssignment, { kind: "assigned" }>;

/** Places the pods of one class: at each level of relaxation on existing nodes, then by each way to new ones (karpenter-core §2.4). */
class ClassPlacement {
  readonly #entry: OpenClass;
  readonly #topology: Topology;
  readonly #levels: readonly PlacementLevel[];
  readonly #demands = new Map<string, OpenDemand>();

  constructor(entry: OpenClass, existing: ExistingCapacity, topology: Topology) {
    this.#entry = entry;
    this.#topology = topology;
    this.#levels = entry.levels.map((level) => ({
      level,
      filler: lazily(() => existing.fillerFor(level.constraints)),
      ways: level.ways
        .filter(({ index }) => index >= entry.from)
        .flatMap((way) => withoutPools(way, entry.avoided))
        .map((way) => ({
          way,
          chooser: lazily(
            () => new DomainChooser(topology, level.constraints, way.requirements, way.options, entry.pods.length),
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
    const refusals = [...this.#entry.refusals];
    for (const { level, filler, ways } of this.#levels) {
      if (filler().place(pod)) return undefined;
      for (const { way, chooser } of ways) {
        const assignment = chooser().choose();
        if (assignment.kind === "assigned") {
          this.#demandFor(level, way, assignment, refusals).pods.push(pod);
          return undefined;
        }
        refusals[way.index] = withEarlier(refusedByAll(way.options, assignment.refusal), refusals[way.index]);
      }
    }
    return refusals;
  }

  #demandFor({ constraints }: Level, way: Way, { domains, options }: Assigned, refusals: Refusals): OpenDemand {
    this.#topology.recordOnNewNode(constraints, domains, options);
    const key = JSON.stringify([way.index, ...domains]);
    const known = this.#demands.get(key);
    if (known !== undefined) return known;
    const { podClass } = this.#entry;
    const { requirements, index } = way;
    const { avoided } = this.#entry;
    const unforced = unforcedOf(this.#entry, way);
    const demand = {
      podClass,
      constraints,
      requirements,
      domains,
      pods: [],
      options,
      unforced,
      way: index,
      avoided,
      refusals,
    };
    this.#demands.set(key, demand);
    return demand;
  }
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
