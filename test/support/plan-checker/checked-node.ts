import type { Node } from "../../../shared/api/core.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import type { Taint } from "../../../shared/api/schema.ts";
import type { PlannedNodeClaim } from "../../../shared/provisioning/plan.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { type Amounts, amountsOf } from "./amounts.ts";
import { typeLabels } from "./instance-facts.ts";
import { type Labels, withOldSpellings } from "./node-matching.ts";
import type { OfferingChecks } from "./offerings.ts";

/** A node as kube-scheduler sees it once the plan has come true. */
export interface CheckedNode {
  readonly name: string;
  readonly labels: Labels;
  /** Without those that a starting node loses by itself; a cordoned one has the taint that stands for it. */
  readonly taints: readonly Taint[];
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
  readonly nodePool: string | undefined;
  readonly claim: NodeClaim | undefined;
  /** The plan makes it. */
  readonly isNew: boolean;
  readonly leaving: boolean;
}

/** Nodes of the snapshot, and its NodeClaims whose node is still to come. */
export function existingNodes(snapshot: Snapshot): readonly CheckedNode[] {
  const claimOf = new Map(snapshot.nodeClaims.map((claim) => [claim.status?.providerID, claim]));
  const here = new Set(snapshot.nodes.map(({ spec }) => spec?.providerID));
  const claimed = (node: Node) => (node.spec?.providerID ? claimOf.get(node.spec.providerID) : undefined);
  const coming = snapshot.nodeClaims.filter(({ status }) => !status?.providerID || !here.has(status.providerID));
  return [
    ...snapshot.nodes.map((node) => existingNode(snapshot, node.metadata.name, node, claimed(node))),
    ...coming.map((claim) => existingNode(snapshot, claim.metadata.name, undefined, claim)),
  ];
}

/** The node that the plan's choice for a claim becomes. */
export function plannedNode(snapshot: Snapshot, claim: PlannedNodeClaim, offerings: OfferingChecks): CheckedNode {
  const className = claim.labels["karpenter.k8s.aws/ec2nodeclass"];
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === className);
  const single = [...claim.requirements.values()].flatMap(({ key, complement, values }) =>
    complement || values.size !== 1 ? [] : [[key, [...values].join()]],
  );
  return {
    name: claim.name,
    labels: {
      ...Object.fromEntries(single),
      ...claim.labels,
      ...offerings.labelsOf(claim.offerings[0], { nodeClass, nodePool: claim.nodePool }),
      "kubernetes.io/hostname": claim.name,
    },
    taints: claim.taints,
    capacity: {},
    allocatable: claim.allocatable,
    nodePool: claim.nodePool,
    claim: undefined,
    isNew: true,
    leaving: false,
  };
}

function existingNode(
  snapshot: Snapshot,
  name: string,
  node: Node | undefined,
  claim: NodeClaim | undefined,
): CheckedNode {
  const initialized = claim === undefined || hasCondition(claim, "Initialized");
  const labels: Labels = { ...(initialized ? {} : promisedLabels(snapshot, claim)), ...node?.metadata.labels };
  const stated = node?.spec?.taints ?? claim?.spec.taints ?? [];
  const taints = node?.spec?.unschedulable ? [...stated, cordon] : stated;
  return {
    name,
    labels: withOldSpellings({ "kubernetes.io/hostname": name, ...labels }),
    taints: initialized ? taints : taints.filter((taint) => !isPassing(taint, claim)),
    capacity: reported(node?.status?.capacity, claim?.status?.capacity, initialized),
    allocatable: reported(node?.status?.allocatable, claim?.status?.allocatable, initialized),
    nodePool: labels["karpenter.sh/nodepool"],
    claim,
    isNew: false,
    leaving: isLeaving(node, claim),
  };
}

/** What a node of a claim will say of itself, as far as the claim tells. */
function promisedLabels({ catalog }: Snapshot, claim: NodeClaim): Labels {
  const single = claim.spec.requirements.flatMap(({ key, operator, values = [] }) =>
    operator === "In" && values.length === 1 ? [[key, values[0] ?? ""]] : [],
  );
  const stated: Labels = { ...Object.fromEntries(single), ...claim.metadata.labels };
  const facts = catalog.types.find((type) => type.name === stated["node.kubernetes.io/instance-type"]);
  const lifecycle = { "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" };
  return { ...lifecycle, ...(facts && typeLabels(facts)), ...stated };
}

const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

const passingKeys: readonly string[] = [
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
  "node.cloudprovider.kubernetes.io/uninitialized",
  "karpenter.sh/unregistered",
];

/** Taints that a starting node loses (karpenter-core §1.6). */
function isPassing({ key, effect }: Taint, claim: NodeClaim): boolean {
  const startup = claim.spec.startupTaints ?? [];
  return (
    passingKeys.includes(key) ||
    key.startsWith("readiness.k8s.io/") ||
    startup.some((taint) => taint.key === key && taint.effect === effect)
  );
}

/** Zeros of a kubelet whose device plugins are not up yet are filled from the claim. */
function reported(real: Labels | undefined, promised: Labels | undefined, initialized: boolean): Amounts {
  const amounts = amountsOf(real);
  if (initialized) return amounts;
  return { ...amountsOf(promised), ...Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0)) };
}

function isLeaving(node: Node | undefined, claim: NodeClaim | undefined): boolean {
  return (
    [node, claim].some((object) => object?.metadata.deletionTimestamp !== undefined) ||
    node?.metadata.annotations?.["journeyman.sh/replace"] !== undefined ||
    (node?.spec?.taints ?? []).some(({ key }) => key === "karpenter.sh/disrupted")
  );
}

export function hasCondition(claim: NodeClaim, type: string): boolean {
  return (claim.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}
