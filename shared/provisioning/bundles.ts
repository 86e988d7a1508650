import { label } from "../api/labels.ts";
import { forsakenBy, wishesAmong } from "./affinity-wishes.ts";
import { lazily } from "./lazily.ts";
import type { NewDemand, Unit, UnitPart } from "./new-demand.ts";
import { NodeSharing } from "./node-sharing.ts";
import type { RefusalDetail } from "./plan.ts";
import type { Topology } from "./topology.ts";
import { selfContradiction } from "./topology-refusals.ts";
import { sharedOptions } from "./unit-options.ts";

/** Units to pack, and what no node can hold together. */
export interface Bundling {
  readonly units: readonly Unit[];
  readonly refused: readonly { readonly demand: number; readonly pods: number; readonly refusal: RefusalDetail }[];
}

/**
 * Turns demand into units. Pods with required affinity on the hostname are bundled with the pods they want, over as few nodes as hold
 * them: each bundle has one of the wanted pods, and those left over go where they like. Pods attracted to their own kind have
 * exactly one node (kube-scheduler lets only the first of a kind choose), and what does not fit stays behind.
 */
export function bundle(demands: readonly NewDemand[], topology: Topology): Bundling {
  const sharing = lazily(() => new NodeSharing(demands, topology));
  const families = familiesOf(demands, topology).map((family) => bundleFamily(demands, family, topology, sharing));
  return { units: families.flatMap(({ units }) => units), refused: families.flatMap(({ refused }) => refused) };
}

/** Demands that wish each other's company, directly or not. */
interface Family {
  /** They own hostname affinity, and the pods they want will be there. */
  readonly attracted: readonly number[];
  /** Wanted by others, with no wish of their own. */
  readonly free: readonly number[];
  /** Demands that some attracted one wants. */
  readonly wanted: ReadonlySet<number>;
  /** They want to be near pods that will not be there, by a term of this topology key. */
  readonly forsaken: readonly { readonly demand: number; readonly key: string }[];
  /** A member wants to be with its own kind: all of them on one node. */
  readonly isSelfAttracted: boolean;
}

function familiesOf(demands: readonly NewDemand[], topology: Topology): readonly Family[] {
  const wishes = wishesAmong(demands, topology);
  const forsaken = forsakenBy(wishes);
  const leaders = Int32Array.from(demands.keys());
  wishes.forEach(({ targets }, owner) => {
    if (!forsaken.has(owner)) for (const target of targets.flat()) merge(leaders, owner, target);
  });
  return [...Map.groupBy(demands.keys(), (index) => leaderOf(leaders, index)).values()].map((members) => {
    const isOwner = (member: number) => (wishes[member]?.targets.length ?? 0) > 0;
    const attracted = members.filter((member) => isOwner(member) && !forsaken.has(member));
    return {
      attracted,
      free: members.filter((member) => !isOwner(member) && !forsaken.has(member)),
      forsaken: members.flatMap((demand) => {
        const key = forsaken.get(demand);
        return key === undefined ? [] : [{ demand, key }];
      }),
      wanted: new Set(attracted.flatMap((member) => wishes[member]?.targets.flat() ?? [])),
      isSelfAttracted: attracted.some((member) => wishes[member]?.isForItself),
    };
  });
}

/** Who stands for the family of a demand: disjoint sets, with paths halved on the way. */
function leaderOf(leaders: Int32Array, demand: number): number {
  let at = demand;
  for (let next = leaders[at] ?? at; next !== at; next = leaders[at] ?? at) {
    leaders[at] = leaders[next] ?? next;
    at = next;
  }
  return at;
}

function merge(leaders: Int32Array, a: number, b: number): void {
  leaders[leaderOf(leaders, b)] = leaderOf(leaders, a);
}

function bundleFamily(
  demands: readonly NewDemand[],
  family: Family,
  topology: Topology,
  sharing: () => NodeSharing,
): Bundling {
  const podsOf = (demand: number) => demands[demand]?.pods.length ?? 0;
  const bundles = bundlesOf(demands, family, sharing);
  const inBundles = (demand: number) =>
    bundles.flat().reduce((sum, part) => sum + (part.demand === demand ? part.pods : 0), 0);
  const single = family.free.map((demand) => ({
    parts: [{ demand, pods: 1 }],
    count: podsOf(demand) - inBundles(demand),
  }));
  const refusals = [
    ...family.forsaken.map(({ demand, key }) => ({
      demand,
      pods: podsOf(demand),
      refusal: key === label.hostname ? hostnameRefusal(noCompany, companyAccepted) : circleRefusal(key),
    })),
    ...family.attracted.map((demand) => ({
      demand,
      pods: podsOf(demand) - inBundles(demand),
      refusal:
        contradictionOf(demands[demand], topology) ??
        hostnameRefusal(`${noSharedNode} (${inBundles(demand)} of ${podsOf(demand)} pods have a place)`, shareAccepted),
    })),
  ];
  return {
    units: [...bundles.map((parts) => ({ parts, count: 1 })), ...single].filter(({ count }) => count > 0),
    refused: refusals.filter(({ pods }) => pods > 0),
  };
}

function contradictionOf(demand: NewDemand | undefined, topology: Topology): RefusalDetail | undefined {
  if (demand === undefined) return undefined;
  return selfContradiction(topology.of(demand.constraints), demand.constraints, label.hostname);
}

function hostnameRefusal(reason: string, accepted: string): RefusalDetail {
  return { reason, key: label.hostname, found: "pod affinity to be on one node with others", accepted };
}

function circleRefusal(key: string): RefusalDetail {
  const reason = `pod affinity on ${key}: the pods it wants are to be placed themselves, and want others in turn`;
  return { reason, key, found: "pods that want each other", accepted: "one of them that may be the first" };
}

const companyAccepted = "such a pod on a node with room, or planned for a new one";
const shareAccepted = "pods that fit on one node together, or a wider topology key";
const noSharedNode = "pod affinity on kubernetes.io/hostname: no node is large enough for all that want to share it";
const noCompany =
  "pod affinity on kubernetes.io/hostname: the pods it wants are on no node with room, nor will they be on a new one";

/** The fewest bundles that hold all attracted pods, else as many pods as the most bundles hold. */
function bundlesOf(
  demands: readonly NewDemand[],
  family: Family,
  sharing: () => NodeSharing,
): readonly (readonly UnitPart[])[] {
  if (family.attracted.length === 0) return [];
  const sizeOf = (demand: number) => demands[demand]?.pods.length ?? 0;
  const mostBundles = family.isSelfAttracted ? 1 : Math.min(...[...family.wanted].map(sizeOf));
  const free = family.free.map((demand) => ({ demand, pods: 1 }));
  const fitsOneNode = (parts: readonly UnitPart[]) =>
    sharedOptions(demands, parts).length > 0 && sharing().canShareNode(parts);
  const share = (bundles: number, index: number) => [
    ...family.attracted.map((demand) => ({ demand, pods: shareOf(sizeOf(demand), bundles, index) })),
    ...free,
  ];
  for (let bundles = 1; bundles <= mostBundles; bundles++) {
    if (!fitsOneNode(share(bundles, 0).filter(({ pods }) => pods > 0))) continue;
    return Array.from({ length: bundles }, (_, index) => share(bundles, index).filter(({ pods }) => pods > 0));
  }
  const largest = largestBundle(family, free, sizeOf, fitsOneNode);
  if (largest === undefined) return [];
  const times = Math.min(
    mostBundles,
    ...family.attracted.map((demand) => Math.floor(sizeOf(demand) / podsIn(largest, demand))),
  );
  return Array.from({ length: times }, () => largest);
}

function podsIn(parts: readonly UnitPart[], demand: number): number {
  return parts.find((part) => part.demand === demand)?.pods ?? 1;
}

/** As many of each attracted demand as fit together, at least one of each. */
function largestBundle(
  family: Family,
  free: readonly UnitPart[],
  sizeOf: (demand: number) => number,
  fitsOneNode: (parts: readonly UnitPart[]) => boolean,
): readonly UnitPart[] | undefined {
  const capped = (most: number) => [
    ...family.attracted.map((demand) => ({ demand, pods: Math.min(most, sizeOf(demand)) })),
    ...free,
  ];
  if (!fitsOneNode(capped(1))) return undefined;
  let [low, high] = [1, Math.max(...family.attracted.map(sizeOf))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitsOneNode(capped(middle))) low = middle;
    else high = middle - 1;
  }
  return capped(low);
}

/** The `index`-th of `parts` equal shares; the first ones take what is left over. */
function shareOf(size: number, parts: number, index: number): number {
  return Math.floor(size / parts) + (index < size % parts ? 1 : 0);
}
