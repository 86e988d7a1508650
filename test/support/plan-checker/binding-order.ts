import type { PodConstraints, PodRecord } from "../../../shared/state/pod-record.ts";
import type { CheckedNode } from "./checked-node.ts";
import type { NamespaceLabels, SelectablePod } from "./pod-selection.ts";
import { hardSpreads, SpreadGroup } from "./spread-group.ts";
import { type Blocker, blockerOf, type TopologyRules, TopologyWorld } from "./topology-rules.ts";

export interface Placement {
  readonly pod: PodRecord;
  readonly node: CheckedNode;
}

interface World {
  readonly nodes: readonly CheckedNode[];
  /** Pods that are there already, or will be. */
  readonly present: readonly Placement[];
  readonly namespaces: NamespaceLabels;
}

/** Who could not be bound goes first the next time. */
const mostOrders = 8;
const mostCompared = 200;

/**
 * Looks for an order in which kube-scheduler can bind all placements under PodTopologySpread and required pod affinity. Pods that ask
 * much go first, pods that are merely counted last, and who is refused waits until the counts change. Returns who stays unbound in
 * the first order tried, and why.
 */
export function unboundPlacements(placements: readonly Placement[], world: World): readonly string[] {
  let problems: readonly string[] | undefined;
  const first = new Map<string, number>();
  for (let attempt = 1; attempt <= mostOrders; attempt++) {
    const stuck = new BindingRun(placements, world, first).run();
    if (stuck.length === 0) return [];
    problems ??= stuck.flatMap(({ pods, node, blocker }) =>
      pods.map(({ namespace, name }) => `${namespace}/${name} on ${node.name}: ${blocker?.text}`),
    );
    // Of those, pods that may be the first of their own kind lead every other time.
    for (const { key, rules } of stuck) {
      const leads = attempt % 2 === 1 && rules.affinity !== undefined;
      first.set(key, 2 * attempt + Number(leads));
    }
  }
  return problems ?? [];
}

/** Pods that kube-scheduler cannot tell apart, on nodes that no rule about them tells apart. */
interface Batch {
  readonly key: string;
  readonly constraints: PodConstraints;
  readonly rules: TopologyRules;
  readonly node: CheckedNode;
  readonly pods: PodRecord[];
  readonly mayBeFirst: boolean;
  level: number;
  blocker?: Blocker | undefined;
}

class BindingRun {
  readonly #topology: TopologyWorld;
  readonly #levels: Batch[][];
  /** Refused batches, by group and domain. */
  readonly #parked = new Map<unknown, Map<string, Batch[]>>();
  readonly #parkedAtLevel = new Map<number, number>();

  constructor(placements: readonly Placement[], world: World, first: ReadonlyMap<string, number>) {
    const owners = new Set(placements.map(({ pod }) => pod.constraints));
    this.#topology = new TopologyWorld(owners, world.nodes, world.namespaces);
    for (const { pod, node } of world.present) this.#topology.bind(pod.constraints, node);
    this.#levels = inLevels(this.#batches(placements, first), first);
  }

  /** The batches that nothing frees. */
  run(): readonly Batch[] {
    this.#bindWhatMay();
    while (this.#areParked(this.#levels.length) && (this.#retryAll() || this.#bindAFirst())) this.#bindWhatMay();
    return this.#takeParked();
  }

  #batches(placements: readonly Placement[], first: ReadonlyMap<string, number>): readonly Batch[] {
    const batches = new Map<string, Batch>();
    const ids = new Map<SelectablePod, number>();
    for (const { pod, node } of placements) {
      const { constraints } = pod;
      const rules = this.#topology.rulesOf(constraints);
      if (rules.countedBy.length + rules.spreads.length === 0 && rules.affinity === undefined) continue;
      const id = ids.get(constraints) ?? ids.size;
      ids.set(constraints, id);
      const key = `${id} ${positionOf(rules, node)}`;
      const batch = batches.get(key) ?? {
        key,
        constraints,
        rules,
        node,
        pods: [],
        mayBeFirst: first.has(key),
        level: 0,
      };
      batch.pods.push(pod);
      batches.set(key, batch);
    }
    return [...batches.values()];
  }

  #bindWhatMay(): void {
    for (let level = 0; level < this.#levels.length; ) {
      const batch = this.#next(level);
      if (batch === undefined) level++;
      else if (this.#bindOne(batch, batch.mayBeFirst)) level = 0;
    }
  }

  /** Where stricter pods wait, of the next batches the one that raises the fewest counts; else any. */
  #next(level: number): Batch | undefined {
    const queue = this.#levels[level] ?? [];
    if (queue.length < 2 || !this.#areParked(level)) return queue.pop();
    const from = Math.max(0, queue.length - mostCompared);
    const loads = queue.slice(from).map(loadOf);
    const [batch] = queue.splice(from + loads.indexOf(Math.min(...loads)), 1);
    return batch;
  }

  #bindOne(batch: Batch, mayBeFirst: boolean): boolean {
    batch.blocker = blockerOf(batch.rules, batch.constraints, batch.node, mayBeFirst);
    if (batch.blocker !== undefined) {
      this.#park(batch, batch.blocker);
      return false;
    }
    batch.pods.pop();
    if (batch.pods.length > 0) this.#levels[batch.level]?.push(batch);
    const freed = this.#topology.bind(batch.constraints, batch.node);
    for (const group of freed) this.#wake(group);
    return freed.length > 0;
  }

  #park(batch: Batch, { group, ...blocker }: Blocker): void {
    const domain = blocker.kind === "spread" ? blocker.domain : "";
    const byDomain = this.#parked.get(group) ?? new Map<string, Batch[]>();
    this.#parked.set(group, byDomain);
    const waiting = byDomain.get(domain) ?? [];
    waiting.push(batch);
    byDomain.set(domain, waiting);
    this.#count(batch, 1);
  }

  /** A risen minimum makes room for one or two pods in each domain; a first pod in a domain frees all that wait for one. */
  #wake(group: unknown): void {
    for (const waiting of this.#parked.get(group)?.values() ?? []) {
      const woken = waiting.splice(0, group instanceof SpreadGroup ? 2 : waiting.length);
      for (const batch of woken) {
        this.#count(batch, -1);
        this.#levels[batch.level]?.push(batch);
      }
    }
  }

  /** Whether one of the refused may go after all. */
  #retryAll(): boolean {
    let isFreed = false;
    for (const batch of this.#takeParked()) {
      const isFree = blockerOf(batch.rules, batch.constraints, batch.node, batch.mayBeFirst) === undefined;
      if (isFree) this.#levels[batch.level]?.push(batch);
      else if (batch.blocker !== undefined) this.#park(batch, batch.blocker);
      isFreed ||= isFree;
    }
    return isFreed;
  }

  /** Lets one pod be the first of its kind. */
  #bindAFirst(): boolean {
    const parked = this.#takeParked().sort((a, b) => a.level - b.level);
    const chosen = parked.find((batch) => blockerOf(batch.rules, batch.constraints, batch.node, true) === undefined);
    for (const batch of parked) if (batch !== chosen && batch.blocker !== undefined) this.#park(batch, batch.blocker);
    if (chosen !== undefined) this.#bindOne(chosen, true);
    return chosen !== undefined;
  }

  #takeParked(): Batch[] {
    const all = [...this.#parked.values()].flatMap((byDomain) => [...byDomain.values()].flat());
    this.#parked.clear();
    this.#parkedAtLevel.clear();
    return all;
  }

  #count({ level }: Batch, change: number): void {
    this.#parkedAtLevel.set(level, (this.#parkedAtLevel.get(level) ?? 0) + change);
  }

  #areParked(below: number): boolean {
    return [...this.#parkedAtLevel].some(([level, count]) => count > 0 && level < below);
  }
}

/** What the rules about a pod see of its node. */
function positionOf({ spreads, affinity, countedBy }: TopologyRules, node: CheckedNode): string {
  const groups = [...spreads.map(({ group }) => group), ...(affinity ? [affinity] : []), ...countedBy];
  return groups
    .map((group) =>
      group instanceof SpreadGroup
        ? `${node.labels[group.key]}${group.countsNode(node) ? "" : "!"}`
        : group.keys.map((key) => node.labels[key]).join(),
    )
    .join("|");
}

function loadOf({ rules: { countedBy }, node }: Batch): number {
  return countedBy.reduce(
    (sum, group) => sum + (group instanceof SpreadGroup ? group.countIn(node.labels[group.key] ?? "") : 0),
    0,
  );
}

/** The refused of earlier orders first, then who asks most, then who is merely counted. */
function inLevels(batches: readonly Batch[], first: ReadonlyMap<string, number>): Batch[][] {
  const rank = (batch: Batch) => (first.get(batch.key) ?? 0) * 10_000 + strictness(batch);
  const levels = [...Map.groupBy(batches, rank)].sort(([a], [b]) => b - a).map(([, level]) => level);
  for (const [index, level] of levels.entries()) for (const batch of level) batch.level = index;
  return levels;
}

/** Of pods that spread, those with the smallest skew ask most. */
function strictness({ constraints, rules: { affinity } }: Batch): number {
  const spreads = hardSpreads(constraints).reduce(
    (sum, { maxSkew, minDomains = 1 }) => sum + Math.max(1, 100 + minDomains - 3 * maxSkew),
    0,
  );
  return spreads + (affinity === undefined ? 0 : 1);
}
