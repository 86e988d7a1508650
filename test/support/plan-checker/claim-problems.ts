import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import type { NodePool } from "../../../shared/api/node-pool.ts";
import type { RankedOffering } from "../../../shared/cloud/ranking.ts";
import type { PlannedNodeClaim } from "../../../shared/provisioning/plan.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import type { Amounts } from "./amounts.ts";
import { expressionHolds, type Labels, labelOf } from "./node-matching.ts";
import type { OfferingChecks } from "./offerings.ts";

/** What is wrong with a planned NodeClaim by itself: its pool, its template, what it would buy. */
export function claimProblems(
  claim: PlannedNodeClaim,
  snapshot: Snapshot,
  offerings: OfferingChecks,
): readonly string[] {
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === claim.nodePool);
  if (pool === undefined) return [`${claim.name}: there is no NodePool ${claim.nodePool}`];
  const { group, kind, name } = pool.spec.template.spec.nodeClassRef;
  const nodeClass = snapshot.nodeClasses.find(({ metadata }) => metadata.name === name);
  const buyer = { nodeClass, nodePool: claim.nodePool };
  const problems = [
    ...poolProblems(pool, nodeClass, `${kind}.${group}`),
    ...templateProblems(claim, pool),
    ...claim.offerings.flatMap((offering) => offerings.problem(offering, buyer) ?? []),
    ...requirementProblems(claim, pool, (offering) => offerings.labelsOf(offering, buyer)),
    ...sizeProblems(claim, offerings.capacityOf(claim.offerings[0].instanceType, claim.nodePool)),
    ...minValuesProblems(claim, pool, snapshot, (offering) => offerings.labelsOf(offering, buyer)),
    ...(claim.pods.length === 0 ? ["it is for no pod"] : []),
  ];
  return [...new Set(problems)].map((problem) => `${claim.name}: ${problem}`);
}

function poolProblems(pool: NodePool, nodeClass: EC2NodeClass | undefined, kind: string): readonly string[] {
  const { name, deletionTimestamp } = pool.metadata;
  if (deletionTimestamp !== undefined) return [`NodePool ${name} is being deleted`];
  if (pool.spec.replicas !== undefined) return [`NodePool ${name} is static`];
  if (kind !== "EC2NodeClass.karpenter.k8s.aws") return [`NodePool ${name} is of the node class kind ${kind}`];
  if (nodeClass === undefined) return [`the node class of NodePool ${name} does not exist`];
  return [pool, nodeClass].flatMap((object) => {
    const ready = (object.status?.conditions ?? []).find(({ type }) => type === "Ready");
    return ready?.status === "False" ? [`${object.kind} ${object.metadata.name} is not ready`] : [];
  });
}

/** Labels and taints of the template must be on the claim; startup taints too. */
function templateProblems(claim: PlannedNodeClaim, pool: NodePool): readonly string[] {
  const { metadata, spec } = pool.spec.template;
  const wanted: Labels = {
    ...metadata?.labels,
    "karpenter.sh/nodepool": pool.metadata.name,
    "karpenter.k8s.aws/ec2nodeclass": spec.nodeClassRef.name,
  };
  const labels = Object.entries(wanted).filter(([key, value]) => claim.labels[key] !== value);
  const text = (taints: typeof claim.taints = []) =>
    JSON.stringify(taints.map(({ key, value = "", effect }) => `${key}=${value}:${effect}`).sort());
  return [
    ...labels.map(([key, value]) => `the template's label ${key}=${value} is missing`),
    ...(text(claim.taints) === text(spec.taints) ? [] : ["its taints are not the template's"]),
    ...(text(claim.startupTaints) === text(spec.startupTaints) ? [] : ["its startup taints are not the template's"]),
  ];
}

/** What the node's labels will be where only the claim says it. */
function customLabels({ requirements }: PlannedNodeClaim): Labels {
  const single = [...requirements.values()].filter(({ complement, values }) => !complement && values.size === 1);
  return Object.fromEntries(single.map(({ key, values }) => [key, [...values].join()]));
}

/**
 * Both the NodePool's requirements and the claim's own must admit what is bought; but what a claim on a reservation falls back on is not
 * what it says of the reservation.
 */
function requirementProblems(
  claim: PlannedNodeClaim,
  pool: NodePool,
  labelsOf: (offering: RankedOffering) => Labels,
): readonly string[] {
  const own: Labels = { ...claim.labels, ...customLabels(claim) };
  const asked = pool.spec.template.spec.requirements.map((entry) => ({ ...entry, key: current(entry.key) }));
  const stated = [...claim.requirements.values()];
  const problems = new Set<string>();
  for (const offering of claim.offerings) {
    const labels = labelsOf(offering);
    const isFallback = claim.offerings[0].capacityType === "reserved" && offering.capacityType !== "reserved";
    const found = (key: string) => labelOf(labels, key) ?? labelOf(own, key);
    for (const entry of asked) {
      const { key, operator, values = [] } = entry;
      const value = found(key);
      if (expressionHolds(entry, value === undefined ? {} : { [key]: value })) continue;
      problems.add(`NodePool ${pool.metadata.name} asks for ${key} ${operator} ${values}`);
    }
    for (const requirement of stated) {
      const { key } = requirement;
      if (admits(requirement, found(key)) || (isFallback && isAboutReservations(key))) continue;
      problems.add(`its requirement on ${key} does not admit ${found(key)}`);
    }
  }
  return [...problems];
}

type Requirement = PlannedNodeClaim["requirements"] extends ReadonlyMap<string, infer R> ? R : never;

function admits({ complement, values, mayBeAbsent, min, max }: Requirement, found: string | undefined): boolean {
  if (found === undefined) return mayBeAbsent || complement;
  const number = Number(found);
  const inRange = (min === undefined || number >= min) && (max === undefined || number <= max);
  return values.has(found) !== complement && inRange;
}

function isAboutReservations(key: string): boolean {
  return key === "karpenter.sh/capacity-type" || key.startsWith("karpenter.k8s.aws/capacity-reservation-");
}

const currentNames: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

function current(key: string): string {
  return currentNames[key] ?? key;
}

/** Of what the instance's facts tell, it can offer no more than it has. */
function sizeProblems({ allocatable, offerings: [best] }: PlannedNodeClaim, capacity: Amounts): readonly string[] {
  return Object.entries(allocatable).flatMap(([resource, amount]) => {
    const has = capacity[resource] ?? (isDevice(resource) ? 0 : Number.POSITIVE_INFINITY);
    return amount > has ? [`allocatable ${resource} is ${amount}, ${best.instanceType} has ${has}`] : [];
  });
}

function isDevice(resource: string): boolean {
  return resource.includes("/") && !resource.startsWith("vpc.amazonaws.com/");
}

function minValuesProblems(
  claim: PlannedNodeClaim,
  pool: NodePool,
  { settings }: Snapshot,
  labelsOf: (offering: RankedOffering) => Labels,
): readonly string[] {
  if (settings.minValuesPolicy === "BestEffort" && claim.minValuesRelaxed) return [];
  return pool.spec.template.spec.requirements.flatMap(({ key, minValues = 0 }) => {
    const found = new Set(claim.offerings.map((offering) => labelsOf(offering)[current(key)] ?? claim.labels[key]));
    return found.size < minValues ? [`${found.size} values of ${key}, minValues is ${minValues}`] : [];
  });
}
