import { label } from "../api/labels.ts";
import { isBufferPod } from "../state/buffer-pods.ts";
import { type ClusterNode, clusterNodes } from "../state/cluster-nodes.ts";
import type { NominationHolds } from "../state/nomination-holds.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { hasResourceClaims } from "../state/pod-roles.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { VolumeWorld } from "../state/volume-needs.ts";
import { withDefaultSpread } from "./default-spread.ts";
import { demandOf } from "./demand.ts";
import type { ZoneOrder } from "./domain-assignment.ts";
import { podsByEffectiveZone } from "./effective-zones.ts";
import { ExistingCapacity, heldPods } from "./existing-capacity.ts";
import { Lazy, lazily } from "./lazily.ts";
import { type NewNodes, planNewNodes } from "./new-nodes.ts";
import { type PlanningPools, planningPools } from "./node-options.ts";
import type { OpenClass } from "./placement.ts";
import type { WaitingPod } from "./plan.ts";
import { type ClassifiedPods, classify, type PodClass } from "./pod-class.ts";
import { type PreferenceKind, Relaxation } from "./relaxation.ts";
import { spotFleet } from "./spot-fleet.ts";
import { costOfClaims } from "./spot-packing.ts";
import { Topology } from "./topology.ts";
import { TopologyRules } from "./topology-group.ts";
import { WayFinder } from "./ways.ts";

/** A class with the preferences it may be granted. */
export interface PlannedClass {
  readonly podClass: PodClass;
  readonly relaxation: Relaxation;
}

/** Which kinds of its preferences each class is granted; a class that is absent none. */
export type GrantedPreferences = ReadonlyMap<PlannedClass, ReadonlySet<PreferenceKind>>;

/** What all attempts at one plan share: the snapshot, read once for planning. */
export class PlanningWorld {
  readonly classes: readonly PlannedClass[];
  /** Pods whose volumes let them run nowhere. */
  readonly refused: ClassifiedPods["refused"];
  readonly waiting: readonly WaitingPod[];
  readonly #snapshot: Snapshot;
  readonly #nodes: readonly ClusterNode[];
  readonly #holds: NominationHolds;
  readonly #planned: ReadonlySet<string>;
  /** The costly part, which a cluster at rest does not need. */
  readonly #pools: () => PlanningPools;
  readonly #wayFinder: () => WayFinder;
  readonly #volumes: VolumeWorld;
  readonly #topologyRules: TopologyRules;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#volumes = new VolumeWorld(snapshot);
    this.#topologyRules = new TopologyRules(snapshot.namespaces);
    this.#nodes = clusterNodes(snapshot, this.#volumes);
    const { pods, holds, waiting } = demandOf(snapshot, this.#nodes);
    this.#holds = holds;
    this.waiting = waiting;
    this.#planned = new Set(pods.map(({ uid }) => uid));
    this.#pools = lazily(() => planningPools(snapshot));
    this.#wayFinder = lazily(() => new WayFinder(this.#pools()));
    const avoidable = snapshot.nodePools.some(({ spec }) =>
      spec.template.spec.taints?.some(({ effect }) => effect === "PreferNoSchedule"),
    );
    const { classes, refused } = classify(withDefaultSpread(pods, snapshot), this.#volumes);
    this.refused = refused;
    this.classes = classes.map((podClass) => ({
      podClass,
      relaxation: new Relaxation(podClass.constraints, avoidable),
    }));
  }

  /** Plans all classes but those that want devices. */
  plan(granted: GrantedPreferences): NewNodes {
    const open = this.classes.flatMap((planned) => {
      const { pods } = planned.podClass;
      if (pods.some(hasResourceClaims)) return [];
      const levels = this.#wayFinder().levels(planned.relaxation.levels(granted.get(planned) ?? new Set()));
      return [{ podClass: planned.podClass, levels, pods, from: 0, avoided: noPools, refusals: [] }];
    });
    if (open.length === 0) return noNewNodes;
    const constraints = open.flatMap(({ levels }) => levels.map((level) => level.constraints));
    const { minValuesPolicy, spotSpreadShare, spotMinOfferings } = this.#snapshot.settings;
    const fleet = spotFleet(this.#snapshot.nodeClaims);
    const spot = { fleet, spreadShare: spotSpreadShare, minOfferings: spotMinOfferings };
    const world = { pools: this.#pools().pools, nodes: this.#nodes, minValuesPolicy, spot };
    const planned = (zoneOrder: ZoneOrder) =>
      planNewNodes(open, { ...world, zoneOrder }, (opened) => {
        const topology = this.#topology(constraints, opened);
        return { topology, existing: new ExistingCapacity(this.#nodes, this.#holds, topology, this.#volumes) };
      });
    const byPrice = planned("by price");
    return isZoneOrderOfWeight(open) ? cheaper(byPrice, planned("by load")) : byPrice;
  }

  /** Pods without a node by the zone they may run in, buffers apart (see {@link podsByEffectiveZone}). */
  podsByZone(): ReadonlyMap<string, number> {
    if (this.classes.length === 0) return new Map();
    const required = this.classes.map(({ podClass }) => podClass.constraints);
    const levels = this.#wayFinder()
      .levels(required)
      .map((level, index) => {
        const pods = this.classes[index]?.podClass.pods ?? [];
        return { level, pods: pods.filter((pod) => pod.nodeName === undefined && !isBufferPod(pod)).length };
      });
    const pending = levels.filter(({ pods }) => pods > 0);
    return podsByEffectiveZone(pending, this.#nodes, this.#topology(required));
  }

  #topology(classes: readonly PodConstraints[], opened: ReadonlySet<string> = new Set()): Topology {
    return new Topology({
      classes,
      nodes: this.#nodes,
      heldPods: (node) => heldPods(node, this.#holds),
      planned: this.#planned,
      rules: this.#topologyRules,
      pools: this.#pools(),
      opened,
    });
  }
}

/** With more pods all zones get their share of each service, whichever comes first. */
const podsForWhichZonesMatter = 1_000;

/** Whether it may save nodes to plan with another order of zones, too. */
function isZoneOrderOfWeight(open: readonly OpenClass[]): boolean {
  const spreads = open.some(({ levels }) =>
    levels.some(({ constraints }) => constraints.topologySpread.some(({ topologyKey }) => topologyKey === label.zone)),
  );
  return spreads && open.reduce((sum, { pods }) => sum + pods.length, 0) <= podsForWhichZonesMatter;
}

/** More pods placed first, then less money; the first of equals. */
function cheaper(first: NewNodes, second: NewNodes): NewNodes {
  const unplaced = (plan: NewNodes) => plan.unplaced.reduce((sum, { pods }) => sum + pods.length, 0);
  const fewer = unplaced(second) - unplaced(first);
  if (fewer !== 0) return fewer < 0 ? second : first;
  return costOfClaims(second.claims) < costOfClaims(first.claims) - priceToleranceUsdPerHour ? second : first;
}

const priceToleranceUsdPerHour = 1e-9;

const noNewNodes: NewNodes = {
  claims: [],
  unplaced: [],
  existing: [],
  lowerBound: new Lazy(() => 0),
  instancesLowerBound: new Lazy(() => 0),
  spotFlexibilityUsdPerHour: 0,
  spotSpreadUsdPerHour: 0,
};

const noPools: ReadonlySet<string> = new Set();
