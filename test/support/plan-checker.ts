import type { PodAffinityTerm, PodSpec, Toleration } from "../../shared/api/core.ts";
import type { LabelSelector, Taint } from "../../shared/api/schema.ts";
import type { ProvisioningPlan } from "../../shared/provisioning/plan.ts";
import type { PodRecord } from "../../shared/state/pod-record.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";

/** A node as kube-scheduler would see it once the plan has come true. */
interface CheckedNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly allocatable: Readonly<Record<string, number>>;
  /** What DaemonSets take. */
  readonly reserved: Readonly<Record<string, number>>;
  readonly pods: PodRecord[];
}

/**
 * Replays a plan as kube-scheduler would: all nodes are there, and each pod must pass the predicates on its own node at the moment it is
 * bound. Some order must work; pods with topology rules of their own go first. Returns what stays unbound, a line each. Written
 * from Kubernetes' documentation and shares nothing with the planner.
 */
export function planProblems(snapshot: Snapshot, plan: ProvisioningPlan): readonly string[] {
  let order = [...plan.nodeClaims, ...plan.existing]
    .flatMap(({ name, pods }) => pods.map((pod): Binding => ({ pod, name })))
    .sort((a, b) => rulesOf(b.pod) - rulesOf(a.pod));
  let problems: readonly string[] = [];
  for (let attempt = 0; attempt < mostOrders; attempt++) {
    const nodes = [...existingNodes(snapshot), ...newNodes(plan)];
    const { refused, reasons } = bindAll(order, nodes);
    if (refused.length === 0) return [];
    if (attempt === 0) problems = reasons;
    order = [...refused, ...order.filter((entry) => !refused.includes(entry))];
  }
  return problems;
}

/** Who could not be bound goes first the next time. */
const mostOrders = 8;

interface Binding {
  readonly pod: PodRecord;
  readonly name: string;
}

/** Binds one pod after another, always the first in order that may go. */
function bindAll(order: readonly Binding[], nodes: readonly CheckedNode[]) {
  const refused = [...order];
  for (;;) {
    const reasons: string[] = [];
    const next = refused.findIndex(({ pod, name }) => {
      const node = nodes.find((candidate) => candidate.name === name);
      const problem = node === undefined ? "the node does not exist" : refusal(pod, node, nodes);
      if (problem !== undefined) reasons.push(`${pod.name} on ${name}: ${problem}`);
      return problem === undefined;
    });
    const [entry] = next < 0 ? [] : refused.splice(next, 1);
    if (entry === undefined) return { refused, reasons };
    nodes.find(({ name }) => name === entry.name)?.pods.push(entry.pod);
  }
}

/** How much a pod asks: of those that spread, the ones with the smallest skew ask most. */
function rulesOf({ constraints: { spec } }: PodRecord): number {
  const spreads = spec.topologySpreadConstraints ?? [];
  const strictness = spreads.reduce((sum, { maxSkew, minDomains = 1 }) => sum + 10 + minDomains - 3 * maxSkew, 0);
  return strictness + (spec.affinity?.podAntiAffinity === undefined ? 0 : 1);
}

function existingNodes(snapshot: Snapshot): CheckedNode[] {
  const bytes = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
  const amount = (resource: string, text: string) => {
    const [, digits = "0", unit = ""] = /^([\d.]+)(\D*)$/.exec(text) ?? [];
    if (resource === "cpu") return unit === "m" ? Number(digits) : Number(digits) * 1_000;
    return Number(digits) * (bytes[unit as keyof typeof bytes] ?? 1);
  };
  return snapshot.nodes.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: spec?.taints ?? [],
    allocatable: Object.fromEntries(
      Object.entries(status?.allocatable ?? {}).map(([resource, text]) => [resource, amount(resource, text)]),
    ),
    reserved: {},
    pods: snapshot.pods.filter((pod) => pod.nodeName === metadata.name),
  }));
}

function newNodes(plan: ProvisioningPlan): CheckedNode[] {
  return plan.nodeClaims.map((claim) => {
    const [best] = claim.offerings;
    const single = [...claim.requirements.values()]
      .filter(({ complement, values }) => !complement && values.size === 1)
      .map(({ key, values }) => [key, [...values].join()]);
    const ofPods = claim.pods.reduce<Record<string, number>>((sum, pod) => {
      for (const [resource, asked] of Object.entries(pod.constraints.requests))
        sum[resource] = (sum[resource] ?? 0) + asked;
      return sum;
    }, {});
    return {
      name: claim.name,
      labels: {
        ...Object.fromEntries(single),
        ...claim.labels,
        "kubernetes.io/hostname": claim.name,
        "topology.kubernetes.io/zone": best.zone,
        "karpenter.sh/capacity-type": best.capacityType,
        "node.kubernetes.io/instance-type": best.instanceType,
      },
      taints: claim.taints,
      allocatable: claim.allocatable,
      reserved: Object.fromEntries(
        Object.entries(claim.requests).map(([resource, all]) => [resource, all - (ofPods[resource] ?? 0)]),
      ),
      pods: [],
    };
  });
}

function refusal(pod: PodRecord, node: CheckedNode, nodes: readonly CheckedNode[]): string | undefined {
  const { spec } = pod.constraints;
  if (!selects(spec, node)) return "node affinity";
  if (!toleratesAll(spec.tolerations ?? [], node.taints)) return "taint";
  for (const [resource, asked] of Object.entries(pod.constraints.requests)) {
    const used = node.pods.reduce((sum, other) => sum + (other.constraints.requests[resource] ?? 0), 0);
    const left = (node.allocatable[resource] ?? 0) - (node.reserved[resource] ?? 0) - used;
    if (asked > 0 && asked > left) return `${resource}: wants ${asked}, has ${left}`;
  }
  if (node.pods.some((other) => sharePort(pod, other))) return "host port";
  return spreadRefusal(pod, node, nodes) ?? affinityRefusal(pod, node, nodes);
}

function selects(spec: PodSpec, { labels }: Pick<CheckedNode, "labels">): boolean {
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const matches = (terms ?? [{}]).some((term) =>
    (term.matchExpressions ?? []).every((entry) => expressionHolds(entry, labels)),
  );
  return selected && matches;
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function expressionHolds(
  { key, operator, values = [] }: Expression,
  labels: Readonly<Record<string, string>>,
): boolean {
  const found = labels[key];
  switch (operator) {
    case "In":
      return found !== undefined && values.includes(found);
    case "NotIn":
      return found === undefined || !values.includes(found);
    case "Exists":
      return found !== undefined;
    case "DoesNotExist":
      return found === undefined;
    case "Gt":
      return Number(found) > Number(values[0]);
    default:
      return Number(found) < Number(values[0]);
  }
}

function toleratesAll(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  return taints
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .every((taint) =>
      tolerations.some(
        ({ key, operator, value, effect }) =>
          (effect === undefined || effect === taint.effect) &&
          (key === undefined || key === taint.key) &&
          (operator === "Exists" || (value ?? "") === (taint.value ?? "")),
      ),
    );
}

function sharePort(a: PodRecord, b: PodRecord): boolean {
  return a.constraints.hostPorts.some((port) => b.constraints.hostPorts.includes(port));
}

function spreadRefusal(pod: PodRecord, node: CheckedNode, nodes: readonly CheckedNode[]): string | undefined {
  const { spec, labels, namespace } = pod.constraints;
  for (const constraint of spec.topologySpreadConstraints ?? []) {
    const { topologyKey: key, maxSkew, minDomains = 1, labelSelector, whenUnsatisfiable } = constraint;
    if (whenUnsatisfiable !== "DoNotSchedule") continue;
    const domain = node.labels[key];
    if (domain === undefined) return `spread: no ${key}`;
    const eligible = nodes.filter(
      (other) =>
        other.labels[key] !== undefined &&
        (constraint.nodeAffinityPolicy === "Ignore" || selects(spec, other)) &&
        (constraint.nodeTaintsPolicy !== "Honor" || toleratesAll(spec.tolerations ?? [], other.taints)),
    );
    const counts = new Map<string, number>();
    for (const other of eligible) {
      const matching = other.pods.filter(
        (one) => one.namespace === namespace && one.deletedAt === undefined && isSelected(labelSelector, one),
      );
      const name = other.labels[key] ?? "";
      counts.set(name, (counts.get(name) ?? 0) + matching.length);
    }
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const self = isSelected(labelSelector, { constraints: { labels } }) ? 1 : 0;
    if ((counts.get(domain) ?? 0) + self - least > maxSkew) return `spread over ${key}: ${JSON.stringify([...counts])}`;
  }
  return undefined;
}

function affinityRefusal(pod: PodRecord, node: CheckedNode, nodes: readonly CheckedNode[]): string | undefined {
  const placed = nodes.flatMap((other) => other.pods.map((one) => ({ pod: one, node: other })));
  const shares = (key: string, other: CheckedNode) =>
    node.labels[key] !== undefined && node.labels[key] === other.labels[key];
  for (const term of antiAffinityOf(pod)) {
    const enemy = placed.find((other) => shares(term.topologyKey, other.node) && isMeant(term, pod, other.pod));
    if (enemy !== undefined) return `anti-affinity to ${enemy.pod.name}`;
  }
  for (const other of placed) {
    const term = antiAffinityOf(other.pod).find(
      (one) => shares(one.topologyKey, other.node) && isMeant(one, other.pod, pod),
    );
    if (term !== undefined) return `anti-affinity of ${other.pod.name}`;
  }
  // A pod counts only if it matches all terms, and the first of a kind must match all of its own.
  const terms = affinityOf(pod);
  const isWanted = (other: PodRecord) => terms.every((term) => isMeant(term, pod, other));
  const wanted = placed.filter((other) => isWanted(other.pod));
  const isFirst = wanted.length === 0 && isWanted(pod);
  for (const { topologyKey } of terms) {
    const isAllowed = isFirst
      ? node.labels[topologyKey] !== undefined
      : wanted.some(({ node: of }) => shares(topologyKey, of));
    if (!isAllowed) return "affinity";
  }
  return undefined;
}

function affinityOf({ constraints: { spec } }: PodRecord): readonly PodAffinityTerm[] {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function antiAffinityOf({ constraints: { spec } }: PodRecord): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Namespaces as listed, else the owner's own; namespace selectors are not checked. */
function isMeant(term: PodAffinityTerm, owner: PodRecord, other: PodRecord): boolean {
  return (term.namespaces ?? [owner.namespace]).includes(other.namespace) && isSelected(term.labelSelector, other);
}

function isSelected(
  selector: LabelSelector | undefined,
  { constraints: { labels } }: { readonly constraints: { readonly labels: Readonly<Record<string, string>> } },
): boolean {
  if (selector === undefined) return false;
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return exact && (selector.matchExpressions ?? []).every((entry) => expressionHolds(entry, labels));
}
