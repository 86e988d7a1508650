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
  readonly owns: (demand: NewDemand) => boolean;
  readonly matches: (demand: NewDemand) => boolean;
}

/** What hostname spread, hostname anti-affinity and host ports say about units on one node. */
export function sharingRules(
  demands: readonly NewDemand[],
  units: readonly Unit[],
  topology: Topology,
): readonly Extract<NodeRule, { matches: Int32Array }>[] {
  return rulesAmong(demands, topology).map(({ kind, max, owns, matches }) => {
    const owners = Uint8Array.from(units, (unit) => Number(podsThat(demands, unit.parts, owns) > 0));
    const matching = Int32Array.from(units, (unit) => podsThat(demands, unit.parts, matches));
    return kind === "spread"
      ? { kind, max, owns: owners, matches: matching }
      : { kind, owns: owners, matches: matching };
  });
}

/** Whether these pods keep the rules among themselves. */
export function canShareNode(demands: readonly NewDemand[], parts: readonly UnitPart[], topology: Topology): boolean {
  return rulesAmong(demands, topology).every(({ kind, max, owns, matches }) => {
    const owners = podsThat(demands, parts, owns);
    const matching = podsThat(demands, parts, matches);
    if (owners === 0) return true;
    if (kind === "spread") return matching <= max;
    const both = podsThat(demands, parts, (demand) => owns(demand) && matches(demand));
    return both === 0 ? matching === 0 : matching === 1 && owners === 1;
  });
}

function rulesAmong(demands: readonly NewDemand[], topology: Topology): readonly SharingRule[] {
  const groups = new Set(demands.flatMap(({ constraints }) => topology.of(constraints).owned));
  const hostname = [...groups].flatMap((group): readonly SharingRule[] =>
    group.key !== label.hostname || group.kind === "affinity" ? [] : [groupRule(group, group.kind, topology)],
  );
  return [...hostname, ...hostPortRules(demands)];
}

function groupRule(group: TopologyGroup, kind: SharingRule["kind"], topology: Topology): SharingRule {
  return {
    kind,
    max: group.maxSkew,
    owns: ({ constraints }) => topology.of(constraints).owned.includes(group),
    matches: ({ constraints }) => group.matches(constraints),
  };
}

/** Pods that want one port of one address are as if anti-affine; the wildcard address is every address. */
function hostPortRules(demands: readonly NewDemand[]): readonly SharingRule[] {
  const ports = demands.flatMap(({ constraints }) => constraints.hostPorts.map(parseHostPort));
  const specific = new Map(ports.map((port) => [`${port.ip} ${port.port}/${port.protocol}`, port]));
  return [...specific.values()].map((port) => {
    const wants = ({ constraints }: NewDemand) =>
      constraints.hostPorts.map(parseHostPort).some((other) => isWithin(port, other));
    return { kind: "anti-affinity", max: 0, owns: wants, matches: wants };
  });
}

/** Whether a port takes this address: its own, or all of them. */
function isWithin(port: HostPort, other: HostPort): boolean {
  const isSame = port.port === other.port && port.protocol === other.protocol;
  return isSame && (other.ip === port.ip || other.ip === "0.0.0.0" || other.ip === "::");
}

function podsThat(
  demands: readonly NewDemand[],
  parts: readonly UnitPart[],
  is: (demand: NewDemand) => boolean,
): number {
  return parts.reduce((sum, part) => {
    const demand = demands[part.demand];
    return demand !== undefined && is(demand) ? sum + part.pods : sum;
  }, 0);
}
