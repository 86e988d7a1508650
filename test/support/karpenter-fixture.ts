import type { Node, Pod } from "../../shared/api/core.ts";
import { label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { Condition, Taint } from "../../shared/api/schema.ts";
import { formatTime } from "../../shared/api/time.ts";
import type { Catalog } from "../../shared/cloud/catalog.ts";
import type { InstanceType } from "../../shared/cloud/instance-type.ts";
import { instanceTypesFor } from "../../shared/cloud/instance-types.ts";
import { plannedObject } from "../../shared/controllers/planned-objects.ts";
import type { ProvisioningPlan } from "../../shared/provisioning/plan.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import { formatResources } from "../../shared/scheduling/resources.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";
import { catalogOf } from "./catalog.ts";
import { snapshotWith, type World } from "./snapshot.ts";

/** The types among which Karpenter's own suites plan, by what they are for. */
export const fake = {
  standard: "standard1.xlarge",
  small: "small1.large",
  gpuA: "gpua1.xlarge",
  gpuB: "gpub1.xlarge",
  arm: "arm1.4xlarge",
  singlePod: "single1.xlarge",
} as const;

const priced = (priceUsdPerHour: number) => ({
  priceUsdPerHour,
  spot: { a: priceUsdPerHour / 3, b: priceUsdPerHour / 3 },
});

/**
 * On-demand in zones a, b and c, spot in a and b for a third of it: 0.025 USD for a CPU, 0.001 for a GiB and 1 for a GPU. The type for a single pod
 * costs a little more than the ordinary one of its size.
 */
const fakeCatalog: Catalog = withVendorOfB(
  catalogOf({
    [fake.standard]: { vcpus: 4, memoryGib: 4, ...priced(0.104), pods: 5 },
    [fake.small]: { vcpus: 2, memoryGib: 2, ...priced(0.052), pods: 5 },
    [fake.gpuA]: { vcpus: 4, memoryGib: 4, ...priced(2.104), pods: 5, gpus: 2 },
    [fake.gpuB]: { vcpus: 4, memoryGib: 4, ...priced(2.104), pods: 5, gpus: 2 },
    [fake.arm]: { vcpus: 16, memoryGib: 128, ...priced(0.528), pods: 5, arch: "arm64" },
    [fake.singlePod]: { vcpus: 4, memoryGib: 4, ...priced(0.11), pods: 1 },
  }),
);

function withVendorOfB(catalog: Catalog): Catalog {
  const types = catalog.types.map((facts) =>
    facts.name === fake.gpuB
      ? {
          ...facts,
          devices: { "amd.com/gpu": 2 },
          gpu: { name: "v520", manufacturer: "amd", count: 2, memoryMib: 8_192 },
        }
      : facts,
  );
  return { ...catalog, types };
}

/** A node that the plan would launch, as Karpenter's suites look at one. */
export interface NewNode {
  readonly object: NodeClaim;
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly pool: string;
  readonly pods: readonly string[];
  /** Custom labels and those of the pool: what the claim's object carries. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface Solved {
  readonly world: World;
  readonly snapshot: Snapshot;
  readonly plan: ProvisioningPlan;
  readonly nodes: readonly NewNode[];
  /** Names of pods by the node or claim that has room for them. */
  readonly existing: Readonly<Record<string, readonly string[]>>;
  readonly unscheduled: readonly string[];
}

/**
 * Plans a world; its catalog is the fake one unless it says otherwise. Karpenter has no wish for a number of spot offerings, and its few
 * types have too few.
 */
export function solve(input: World = {}): Solved {
  const world = { catalog: fakeCatalog, ...input, settings: { spotMinOfferings: 0, ...input.settings } };
  const snapshot = snapshotWith(world);
  const plan = planProvisioning(snapshot);
  const nodes = plan.nodeClaims.map((claim): NewNode => {
    const object = plannedObject(claim, { snapshot, plan });
    const [{ instanceType, zone, capacityType }] = claim.offerings;
    const { labels = {} } = object.metadata;
    return { object, type: instanceType, zone, capacityType, pool: claim.nodePool, pods: names(claim.pods), labels };
  });
  const existing = Object.fromEntries(plan.existing.map(({ name, pods }) => [name, names(pods)]));
  return { world, snapshot, plan, nodes, existing, unscheduled: names(plan.unschedulable.map(({ pod }) => pod)) };
}

function names(pods: readonly { readonly name: string }[]): readonly string[] {
  return pods.map(({ name }) => name).sort(new Intl.Collator("en", { numeric: true }).compare);
}

/**
 * How far a plan has come: claims written; instances launched; nodes registered, with the pods bound to them; nodes initialized.
 * A node is called as its claim.
 */
export type Stage = "written" | "launched" | "registered" | "initialized";

interface Changes {
  readonly now?: number;
  readonly pods?: readonly Pod[];
  /** What is on the new Nodes beside the taints of their claims. */
  readonly taints?: readonly Taint[];
  readonly node?: (node: Node) => Node;
  readonly claim?: (claim: NodeClaim) => NodeClaim;
}

/** The world after a plan has come true as far as `stage`, with more pods in it. */
export function carriedOut(solved: Solved, stage: Stage, changes: Changes = {}): World {
  const { world, plan, nodes } = solved;
  const changed = changes.claim ?? ((claim: NodeClaim) => claim);
  const changedNode = changes.node ?? ((node: Node) => node);
  const claims = nodes.map((node) => changed(claimAt(solved, node, stage)));
  const isUp = stage === "registered" || stage === "initialized";
  const made = isUp ? nodes.map((node) => changedNode(nodeAt(solved, node, stage, changes.taints ?? []))) : [];
  const allNodes = [...(world.nodes ?? []), ...made];
  const homes = new Map(
    [...plan.nodeClaims, ...plan.existing].flatMap(({ name, pods }) =>
      allNodes.some(({ metadata }) => metadata.name === name) ? pods.map((pod) => [pod.uid, name] as const) : [],
    ),
  );
  const bound = (world.pods ?? []).map((pod) => {
    const nodeName = homes.get(pod.metadata.uid ?? "");
    return nodeName === undefined ? pod : bind(pod, nodeName);
  });
  return {
    ...world,
    ...(changes.now !== undefined && { now: changes.now }),
    pods: [...bound, ...(changes.pods ?? [])],
    nodes: allNodes,
    nodeClaims: [...(world.nodeClaims ?? []), ...claims],
  };
}

/** The pod where it runs. */
export function bind(pod: Pod, nodeName: string): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: "Running" } };
}

function claimAt({ snapshot }: Solved, { object, type, zone, capacityType }: NewNode, stage: Stage): NodeClaim {
  if (stage === "written") return object;
  const instanceType = typeNamed(snapshot, type);
  const reached = {
    launched: ["Launched"],
    registered: ["Launched", "Registered"],
    initialized: ["Launched", "Registered", "Initialized"],
  }[stage];
  const labels = { ...object.metadata.labels, ...machineLabels(instanceType, zone, capacityType) };
  return {
    ...object,
    metadata: { ...object.metadata, labels },
    status: {
      providerID: providerId(object, zone),
      capacity: formatResources(instanceType.capacity),
      allocatable: formatResources(instanceType.allocatable),
      conditions: reached.map((condition) => holds(condition, snapshot.now)),
      ...(stage !== "launched" && { nodeName: object.metadata.name }),
    },
  };
}

function nodeAt({ snapshot }: Solved, fresh: NewNode, stage: Stage, taints: readonly Taint[]): Node {
  const { object, type, zone, capacityType } = fresh;
  const { name } = object.metadata;
  const instanceType = typeNamed(snapshot, type);
  const marks = { [label.registered]: "true", ...(stage === "initialized" && { [label.initialized]: "true" }) };
  const starting = stage === "initialized" ? [] : (object.spec.startupTaints ?? []);
  const machine = machineLabels(instanceType, zone, capacityType);
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      uid: `node-${name}`,
      labels: { ...object.metadata.labels, ...machine, ...marks, [label.hostname]: name },
      annotations: { ...object.metadata.annotations },
    },
    spec: {
      providerID: providerId(object, zone),
      taints: [...(object.spec.taints ?? []), ...starting, ...taints],
    },
    status: {
      capacity: formatResources(instanceType.capacity),
      allocatable: formatResources(instanceType.allocatable),
    },
  };
}

function machineLabels(type: InstanceType, zone: string, capacityType: string): Readonly<Record<string, string>> {
  const settled = [...type.requirements.values()].flatMap(({ key, complement, values }) =>
    !complement && values.size === 1 ? [[key, [...values].join()] as const] : [],
  );
  return { ...Object.fromEntries(settled), [label.zone]: zone, [label.capacityType]: capacityType };
}

function typeNamed(snapshot: Snapshot, name: string): InstanceType {
  const [nodeClass] = snapshot.nodeClasses;
  if (nodeClass === undefined) throw new RangeError("the world has no EC2NodeClass");
  const options = { ...snapshot.settings, unavailable: [], now: snapshot.now };
  const found = instanceTypesFor(snapshot.catalog, nodeClass, options).find((type) => type.name === name);
  if (found === undefined) throw new RangeError(`the catalog has no type ${name}`);
  return found;
}

function providerId({ metadata: { name } }: NodeClaim, zone: string): string {
  return `aws:///${zone}/i-${name}`;
}

function holds(type: string, at: number): Condition {
  return { type, status: "True", reason: type, message: "", lastTransitionTime: formatTime(at) };
}
