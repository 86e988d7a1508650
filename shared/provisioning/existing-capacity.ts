import { type HostPort, hostPortConflict, parseHostPort } from "../scheduling/host-ports.ts";
import { addResources, fits, type Resources, subtractResources } from "../scheduling/resources.ts";
import { firstUntolerated, refusingEffects } from "../scheduling/taints.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { NominationHolds } from "../state/nomination-holds.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import type { Attachment, VolumeWorld } from "../state/volume-needs.ts";
import type { ClassTopology } from "./class-topology.ts";
import { requirementsKey } from "./requirements-key.ts";
import { domainOf, possibleDomains, type Topology } from "./topology.ts";
import { suitsNode } from "./topology-group.ts";
import { domainRefusal, needsDomain } from "./topology-rules.ts";
import { withoutAttachments } from "./volume-constraints.ts";

/** Room on nodes and NodeClaims that exist: filled first, first fit, initialized nodes before others (karpenter-core §4). */
export class ExistingCapacity {
  readonly #slots: readonly Slot[];
  readonly #topology: Topology;
  readonly #volumes: VolumeWorld;
  readonly #suitable = new Map<string, readonly Slot[]>();

  constructor(nodes: readonly ClusterNode[], holds: NominationHolds, topology: Topology, volumes: VolumeWorld) {
    this.#topology = topology;
    this.#volumes = volumes;
    this.#slots = nodes
      .filter((node) => !node.leaving)
      .map((node) => {
        const held = heldPods(node, holds);
        const requests = held.map((pod) => pod.constraints.requests);
        return {
          node,
          free: subtractResources(node.allocatable, addResources(node.used, ...requests)),
          hostPorts: [...node.hostPorts, ...held.flatMap((pod) => pod.constraints.hostPorts)],
          attached: attachedClaims(
            node,
            held.flatMap((pod) => volumes.attachmentsOf(pod)),
          ),
          placed: [],
        };
      });
  }

  /** Starts filling for pods of these constraints. */
  fillerFor(constraints: PodConstraints): ClassFiller {
    return new ClassFiller(constraints, this.#suitableFor(constraints), this.#topology, this.#volumes);
  }

  /** Nodes that classes with the same tolerations and node requirements may run on. */
  #suitableFor(constraints: PodConstraints): readonly Slot[] {
    const { tolerations, avoidsPreferNoSchedule, nodeAlternatives } = constraints;
    const key = JSON.stringify([tolerations, avoidsPreferNoSchedule, nodeAlternatives.map(requirementsKey)]);
    const known = this.#suitable.get(key);
    if (known !== undefined) return known;
    const effects = refusingEffects(constraints);
    const suitable = this.#slots.filter(
      ({ node }) =>
        firstUntolerated(node.taints, tolerations, effects) === undefined && suitsNode(nodeAlternatives, node),
    );
    this.#suitable.set(key, suitable);
    return suitable;
  }

  /** Pods by node name, in the order they were placed. */
  placements(): readonly { readonly name: string; readonly pods: readonly PodRecord[] }[] {
    return this.#slots
      .filter((slot) => slot.placed.length > 0)
      .map(({ node, placed }) => ({ name: node.name, pods: placed }));
  }
}

interface Slot {
  readonly node: ClusterNode;
  free: Resources;
  readonly hostPorts: string[];
  /** Claims by driver. */
  readonly attached: Map<string, Set<string>>;
  readonly placed: PodRecord[];
}

function attachedClaims(node: ClusterNode, more: readonly Attachment[]): Map<string, Set<string>> {
  const attached = new Map([...node.attached].map(([driver, claims]) => [driver, new Set(claims)]));
  attach(attached, more);
  return attached;
}

function attach(attached: Map<string, Set<string>>, more: readonly Attachment[]): void {
  for (const { driver, claim } of more) attached.set(driver, (attached.get(driver) ?? new Set()).add(claim));
}

export function heldPods(node: ClusterNode, holds: NominationHolds): readonly PodRecord[] {
  return holds.podsByClaim.get(node.nodeClaim?.metadata.name ?? "") ?? [];
}

/** Places the pods of one class one after another. A node that is full for the class is not looked at again. */
export class ClassFiller {
  readonly #constraints: PodConstraints;
  readonly #requests: Resources;
  readonly #wantedPorts: readonly HostPort[];
  readonly #topology: Topology;
  readonly #classTopology: ClassTopology;
  readonly #volumes: VolumeWorld;
  readonly #candidates: Slot[];

  constructor(constraints: PodConstraints, candidates: readonly Slot[], topology: Topology, volumes: VolumeWorld) {
    this.#constraints = constraints;
    this.#requests = withoutAttachments(constraints.requests);
    this.#wantedPorts = constraints.hostPorts.map(parseHostPort);
    this.#candidates = candidates.filter((slot) => fits(this.#requests, slot.free));
    this.#topology = topology;
    this.#classTopology = topology.of(constraints);
    this.#volumes = volumes;
  }

  /** True when some node took the pod; its topology counts are updated. */
  place(pod: PodRecord): boolean {
    if (this.#candidates.length === 0) return false;
    const attachments = this.#volumes.attachmentsOf(pod);
    const slot = this.#firstThat((candidate) => canAttach(candidate, attachments) && this.#isAllowed(candidate));
    if (slot === undefined) return false;
    slot.free = subtractResources(slot.free, this.#requests);
    attach(slot.attached, attachments);
    slot.hostPorts.push(...this.#constraints.hostPorts);
    slot.placed.push(pod);
    this.#topology.recordOnNode(this.#constraints, slot.node);
    return true;
  }

  /** The first candidate with room that is taken; those on the way that are full are let go. */
  #firstThat(isTaken: (slot: Slot) => boolean): Slot | undefined {
    const candidates = this.#candidates;
    let kept = 0;
    for (const [index, slot] of candidates.entries()) {
      if (!fits(this.#requests, slot.free)) continue;
      candidates[kept++] = slot;
      if (!isTaken(slot)) continue;
      candidates.splice(kept, index + 1 - kept);
      return slot;
    }
    candidates.length = kept;
    return undefined;
  }

  #isAllowed(slot: Slot): boolean {
    const isPortTaken =
      this.#wantedPorts.length > 0 &&
      hostPortConflict(slot.hostPorts.map(parseHostPort), this.#wantedPorts) !== undefined;
    return !isPortTaken && this.#classTopology.keys.every((key) => this.#isAllowedIn(slot.node, key));
  }

  #isAllowedIn(node: ClusterNode, key: string): boolean {
    const domain = domainOf(key, node);
    if (domain === undefined) return this.#isAllowedWhereverItLands(node, key);
    return domainRefusal(this.#topology, this.#classTopology, key, domain) === undefined;
  }

  /** A claim whose domain is still open takes only pods that mind no domain and that nobody in one of them minds. */
  #isAllowedWhereverItLands(node: ClusterNode, key: string): boolean {
    const domains = possibleDomains(key, node);
    if (domains.length === 0) return !needsDomain(this.#classTopology, key);
    return (
      this.#classTopology.rulesOf(key).owned.length === 0 &&
      domains.every((domain) => domainRefusal(this.#topology, this.#classTopology, key, domain) === undefined)
    );
  }
}

/** kube-scheduler's NodeVolumeLimits: a claim that is attached already costs nothing, and a driver without a limit is not counted. */
function canAttach({ node, attached }: Slot, attachments: readonly Attachment[]): boolean {
  return [...Map.groupBy(attachments, ({ driver }) => driver)].every(([driver, added]) => {
    const present = attached.get(driver) ?? new Set();
    const more = added.filter(({ claim }) => !present.has(claim)).length;
    return more === 0 || present.size + more <= (node.attachLimits.get(driver) ?? Number.POSITIVE_INFINITY);
  });
}
