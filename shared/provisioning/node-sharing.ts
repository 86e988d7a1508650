import { label } from "../api/labels.ts";
import { type HostPort, parseHostPort } from "../scheduling/host-ports.ts";
import type { NewDemand, Unit, UnitPart } from "./new-demand.ts";
import type { NodeRule } from "./packing/problem.ts";
import type { Topology } from "./topology.ts";
import type { TopologyGroup } from "./topology-group.ts";

/** A rule about which pods may share a new node, before it is turned into numbers. */
interface SharingRule {
  readonly kind: "spread" | "anti-affinity";
  readonly max: number;
}

/** By number, the rules that a demand's pods have, and those that count them. */
interface Membership {
  readonly owned: readonly number[];
  readonly matched: readonly number[];
}

/** What hostname spread, hostname anti-affinity and host ports say about the pods on one node. */
export class NodeSharing {
  readonly #rules: readonly SharingRule[];
  /** By demand. */
  readonly #memberships: readonly Membership[];

  constructor(demands: readonly NewDemand[], topology: Topology) {
    const groups = hostnameGroups(demands, topology);
    const ports = portsAmong(demands);
    this.#rules = [
      ...[...groups.keys()].map(({ kind, maxSkew }) => ({
        kind: kind === "spread" ? ("spread" as const) : ("anti-affinity" as const),
        max: maxSkew,
      })),
      // Pods that want one port of one address are as if anti-affine; the wildcard address is every address.
      ...ports.map(() => ({ kind: "anti-affinity" as const, max: 0 })),
    ];
    this.#memberships = demands.map(({ constraints }) => {
      const { owned, matched } = topology.of(constraints);
      const wanted = constraints.hostPorts.length === 0 ? [] : portNumbers(constraints.hostPorts, ports, groups.size);
      return { owned: [...numbersOf(owned, groups), ...wanted], matched: [...numbersOf(matched, groups), ...wanted] };
    });
  }

  /** Equal for demands of which no rule tells one from the other. */
  keyOf(demand: number): string {
    const { owned = [], matched = [] } = this.#memberships[demand] ?? {};
    return `${owned.join()}/${matched.join()}`;
  }

  /** The rules about units, by unit. */
  rules(units: readonly Unit[]): readonly Extract<NodeRule, { matches: Int32Array }>[] {
    const rules = this.#rules.map(({ kind, max }) => {
      const [owns, matches] = [new Uint8Array(units.length), new Int32Array(units.length)];
      return kind === "spread" ? { kind, max, owns, matches } : { kind, owns, matches };
    });
    units.forEach(({ parts }, index) => {
      for (const { demand, pods } of parts) {
        const { owned = [], matched = [] } = this.#memberships[demand] ?? {};
        for (const number of owned) rules[number]?.owns.fill(1, index, index + 1);
        for (const number of matched) add(rules[number]?.matches, index, pods);
      }
    });
    return rules;
  }

  /** Whether these pods keep the rules among themselves. */
  canShareNode(parts: readonly UnitPart[]): boolean {
    const [owners, matching, both] = [this.#zeros(), this.#zeros(), this.#zeros()];
    for (const { demand, pods } of parts) {
      const { owned = [], matched = [] } = this.#memberships[demand] ?? {};
      for (const number of owned) add(owners, number, pods);
      for (const number of matched) {
        add(matching, number, pods);
        if (owned.includes(number)) add(both, number, pods);
      }
    }
    return this.#rules.every(({ kind, max }, number) => {
      if (owners[number] === 0) return true;
      if (kind === "spread") return (matching[number] ?? 0) <= max;
      return both[number] === 0 ? matching[number] === 0 : matching[number] === 1 && owners[number] === 1;
    });
  }

  #zeros(): Int32Array {
    return new Int32Array(this.#rules.length);
  }
}

function add(counts: Int32Array | undefined, index: number, amount: number): void {
  if (counts !== undefined) counts[index] = (counts[index] ?? 0) + amount;
}

/** Rules of the demands' own, numbered. */
function hostnameGroups(demands: readonly NewDemand[], topology: Topology): ReadonlyMap<TopologyGroup, number> {
  const groups = new Map<TopologyGroup, number>();
  for (const { constraints } of demands) {
    for (const group of topology.of(constraints).owned) {
      const isRule = group.key === label.hostname && group.kind !== "affinity";
      if (isRule && !groups.has(group)) groups.set(group, groups.size);
    }
  }
  return groups;
}

function numbersOf(groups: readonly TopologyGroup[], numbers: ReadonlyMap<TopologyGroup, number>): readonly number[] {
  const found = groups.flatMap((group) => numbers.get(group) ?? []);
  return found.length < 2 ? found : [...new Set(found)].sort((a, b) => a - b);
}

function portsAmong(demands: readonly NewDemand[]): readonly HostPort[] {
  const ports = demands.flatMap(({ constraints }) => constraints.hostPorts.map(parseHostPort));
  return [...new Map(ports.map((port) => [`${port.ip} ${port.port}/${port.protocol}`, port])).values()];
}

/** Their rules are numbered after `before` others. */
function portNumbers(hostPorts: readonly string[], ports: readonly HostPort[], before: number): readonly number[] {
  const wanted = hostPorts.map(parseHostPort);
  return ports.flatMap((port, index) => (wanted.some((other) => isWithin(port, other)) ? [before + index] : []));
}

/** Whether a port takes this address: its own, or all of them. */
function isWithin(port: HostPort, other: HostPort): boolean {
  const isSame = port.port === other.port && port.protocol === other.protocol;
  return isSame && (other.ip === port.ip || other.ip === "0.0.0.0" || other.ip === "::");
}
