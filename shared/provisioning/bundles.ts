import { label } from "../api/labels.ts";
import { addResources, fits, type Resources } from "../scheduling/resources.ts";
import type { NewDemand, Unit, UnitPart } from "./new-demand.ts";
import type { NodeOption } from "./node-options.ts";
import type { Topology } from "./topology.ts";

/** Units to pack, and what no node can hold together. */
export interface Bundling {
  readonly units: readonly Unit[];
  readonly refused: readonly { readonly demand: number; readonly pods: number; readonly reason: string }[];
}

/**
 * Turns demand into units. Pods with required affinity on the hostname go onto one node with the pods they want: such a family is
 * bundled, over as few nodes as hold it. A family attracted to itself has exactly one node, and what does not fit stays behind.
 */
export function bundle(demands: readonly NewDemand[], topology: Topology): Bundling {
  const families = familiesOf(demands, topology);
  const units: Unit[] = [];
  const refused: Bundling["refused"][number][] = [];
  for (const family of families) {
    const [first, ...others] = family.members;
    if (first === undefined) continue;
    if (family.isForsaken) {
      refused.push(
        ...refuseAll(
          family,
          demands,
          "pod affinity on kubernetes.io/hostname: the pods it wants are on no node with room, nor on a new one",
        ).refused,
      );
    } else if (others.length === 0 && !family.isAttracted) {
      units.push({ parts: [{ demand: first, pods: 1 }], count: demands[first]?.pods.length ?? 0 });
    } else {
      const bundled = bundleFamily(demands, family);
      units.push(...bundled.units);
      refused.push(...bundled.refused);
    }
  }
  return { units, refused };
}

interface Family {
  readonly members: readonly number[];
  /** Some member owns hostname affinity. */
  readonly isAttracted: boolean;
  /** A member wants to be with its own kind: all of them on one node. */
  readonly isSelfAttracted: boolean;
  /** A member wants pods that no new node will have. */
  readonly isForsaken: boolean;
}

function familiesOf(demands: readonly NewDemand[], topology: Topology): readonly Family[] {
  const family = demands.map((_, index) => index);
  const attracted = new Set<number>();
  const selfAttracted = new Set<number>();
  const forsaken = new Set<number>();
  demands.forEach(({ podClass: { constraints } }, owner) => {
    for (const group of topology.of(constraints).owned) {
      if (group.kind !== "affinity" || group.key !== label.hostname) continue;
      attracted.add(owner);
      if (group.matches(constraints)) selfAttracted.add(owner);
      const isElsewhere = [...group.counts.values()].some((count) => count > 0);
      const isWanted = demands.some((other) => group.matches(other.podClass.constraints));
      if (!isWanted || (isElsewhere && group.matches(constraints))) forsaken.add(owner);
      demands.forEach((other, target) => {
        if (group.matches(other.podClass.constraints)) merge(family, owner, target);
      });
    }
  });
  return [...Map.groupBy(demands.keys(), (index) => family[index]).values()].map((members) => ({
    members,
    isAttracted: members.some((member) => attracted.has(member)),
    isSelfAttracted: members.some((member) => selfAttracted.has(member)),
    isForsaken: members.some((member) => forsaken.has(member)),
  }));
}

function merge(family: number[], a: number, b: number): void {
  const [from, to] = [family[b], family[a]];
  family.forEach((root, index) => {
    if (root === from && to !== undefined) family[index] = to;
  });
}

function bundleFamily(demands: readonly NewDemand[], family: Family): Bundling {
  const sizes = family.members.map((member) => demands[member]?.pods.length ?? 0);
  const mostNodes = family.isSelfAttracted ? 1 : Math.min(...sizes);
  for (let nodes = 1; nodes <= mostNodes; nodes++) {
    const parts = shareOf(family.members, sizes, nodes, 0);
    if (sharedOptions(demands, parts).length > 0) {
      const units = Array.from({ length: nodes }, (_, index) => ({
        parts: shareOf(family.members, sizes, nodes, index),
        count: 1,
      }));
      return { units, refused: [] };
    }
  }
  return family.isSelfAttracted ? asManyAsFit(demands, family, sizes) : refuseAll(family, demands, noSharedNode);
}

/** The `index`-th of `nodes` equal shares; the first ones take what is left over. */
function shareOf(
  members: readonly number[],
  sizes: readonly number[],
  nodes: number,
  index: number,
): readonly UnitPart[] {
  return members.map((demand, position) => {
    const size = sizes[position] ?? 0;
    return { demand, pods: Math.floor(size / nodes) + (index < size % nodes ? 1 : 0) };
  });
}

/** One node with as many of each as fit; at least one of each, or none at all. */
function asManyAsFit(demands: readonly NewDemand[], family: Family, sizes: readonly number[]): Bundling {
  for (let share = Math.max(...sizes) - 1; share >= 1; share--) {
    const parts = family.members.map((demand, position) => ({ demand, pods: Math.min(share, sizes[position] ?? 0) }));
    if (sharedOptions(demands, parts).length === 0) continue;
    const refused = parts.map(({ demand, pods }, position) => ({
      demand,
      pods: (sizes[position] ?? 0) - pods,
      reason: `${noSharedNode}: ${pods} of its ${sizes[position]} pods fill the largest`,
    }));
    return { units: [{ parts, count: 1 }], refused: refused.filter(({ pods }) => pods > 0) };
  }
  return refuseAll(family, demands, noSharedNode);
}

const noSharedNode = "pod affinity on kubernetes.io/hostname wants one node for all, and none is large enough";

function refuseAll(family: Family, demands: readonly NewDemand[], reason: string): Bundling {
  const refused = family.members.map((demand) => ({ demand, pods: demands[demand]?.pods.length ?? 0, reason }));
  return { units: [], refused };
}

/** The node options that every part of a unit accepts and that hold it whole. */
export function sharedOptions(demands: readonly NewDemand[], parts: readonly UnitPart[]): readonly NodeOption[] {
  const [first, ...others] = parts.map(({ demand }) => new Set(demands[demand]?.options ?? []));
  const requests = unitRequests(demands, parts);
  return [...(first ?? [])].filter((option) => others.every((set) => set.has(option)) && fits(requests, option.free));
}

export function unitRequests(demands: readonly NewDemand[], parts: readonly UnitPart[]): Resources {
  return addResources(
    ...parts.map(({ demand, pods }) => {
      const requests = demands[demand]?.podClass.constraints.requests ?? {};
      return Object.fromEntries(Object.entries(requests).map(([resource, amount]) => [resource, amount * pods]));
    }),
  );
}
