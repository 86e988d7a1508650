import { hostPortConflict, parseHostPort } from "../scheduling/host-ports.ts";
import { addResources, fits, type Resources, subtractResources } from "../scheduling/resources.ts";
import { firstUntolerated, refusingEffects } from "../scheduling/taints.ts";
import type { ClusterNode } from "../state/cluster-nodes.ts";
import type { NominationHolds } from "../state/nomination-holds.ts";
import type { PodConstraints, PodRecord } from "../state/pod-record.ts";
import type { Attachment, VolumeWorld } from "../state/volume-needs.ts";
import { domainOf, possibleDomains, type Topology } from "./topology.ts";
import { suitsNode } from "./topology-group.ts";
import { domainRefusal, needsDomain } from "./topology-rules.ts";
import { withoutAttachments } from "./volume-constraints.ts";

/** Room on nodes and NodeClaims that exist: filled first, first fit, initialized nodes before others (karpenter-core §4). */
export class ExistingCapacity {
  readonly #slots: readonly Slot[];
  readonly #topology: Topology;

  readonly #volumes: VolumeWorld;

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
    const effects = refusingEffects(constraints);
    const candidates = this.#slots.filter(
      ({ node }) =>
        firstUntolerated(node.taints, constraints.tolerations, effects) === undefined &&
        suitsNode(constraints.nodeAlternatives, node),
    );
    return new ClassFiller(constraints, candidates, this.#topology, this.#volumes);
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
  readonly #topology: Topology;
  readonly #volumes: VolumeWorld;
  #candidates: Slot[];

  constructor(constraints: PodConstraints, candidates: readonly Slot[], topology: Topology, volumes: VolumeWorld) {
    this.#constraints = constraints;
    this.#requests = withoutAttachments(constraints.requests);
    this.#candidates = [...candidates];
    this.#topology = topology;
    this.#volumes = volumes;
  }

  /** True when some node took the pod; its topology counts are updated. */
  place(pod: PodRecord): boolean {
    this.#candidates = this.#candidates.filter((slot) => fits(this.#requests, slot.free));
    const attachments = this.#volumes.attachmentsOf(pod);
    const slot = this.#candidates.find((candidate) => canAttach(candidate, attachments) && this.#isAllowed(candidate));
    if (slot === undefined) return false;
    slot.free = subtractResources(slot.free, this.#requests);
    attach(slot.attached, attachments);
    slot.hostPorts.push(...this.#constraints.hostPorts);
    slot.placed.push(pod);
    this.#topology.recordOnNode(this.#constraints, slot.node);
    return true;
  }

  #isAllowed(slot: Slot): boolean {
    const wantedPorts = this.#constraints.hostPorts.map(parseHostPort);
    if (wantedPorts.length > 0 && hostPortConflict(slot.hostPorts.map(parseHostPort), wantedPorts) !== undefined) {
      return false;
    }
    const classTopology = this.#topology.of(this.#constraints);
    return this.#keys().every((key) => {
      const domain = domainOf(key, slot.node);
      if (domain === undefined) return this.#isAllowedWhereverItLands(slot.node, key);
      return domainRefusal(this.#topology, classTopology, this.#constraints, key, domain) === undefined;
    });
  }

  /** A claim whose domain is still open takes only pods that mind no domain and that nobody in one of them minds. */
  #isAllowedWhereverItLands(node: ClusterNode, key: string): boolean {
    const classTopology = this.#topology.of(this.#constraints);
    const domains = possibleDomains(key, node);
    if (domains.length === 0) return !needsDomain(classTopology, key);
    return (
      classTopology.owned.every((group) => group.key !== key) &&
      domains.every(
        (domain) => domainRefusal(this.#topology, classTopology, this.#constraints, key, domain) === undefined,
      )
    );
  }

  #keys(): readonly string[] {
    const { owned, matched } = this.#topology.of(this.#constraints);
    return [...new Set([...owned, ...matched].map((group) => group.key))];
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
