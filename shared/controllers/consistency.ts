import type { Node, Pod } from "../api/core.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import { parseQuantity } from "../api/quantity.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { ConditionChange } from "../state/condition-changes.ts";
import { conditionOf, isTrue } from "../state/conditions.ts";
import { isManagedClaim } from "../state/managed.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import { isActive, isFullyBlocked, toleratesDisruption } from "../state/pod-eviction.ts";
import { type PodRecord, podName } from "../state/pod-record.ts";
import { isMirrorPod } from "../state/pod-roles.ts";
import { tell } from "./lifecycle-scope.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { writeWarning } from "./object-events.ts";

/** A node may show this much less than its claim, of each resource that was asked for. */
const leastSharePercent = 90n;
const checksAtOnce = 10;

/**
 * Whether an initialized node has what its claim says of it (karpenter-core §8): fewer resources mean that it is not what the plan took it
 * for. Undefined when it has.
 */
function shapeProblem({ spec, status }: NodeClaim, node: Node): string | undefined {
  const shown = node.status?.capacity ?? {};
  const problems = Object.entries(spec.resources?.requests ?? {}).flatMap(([name, requested]) => {
    const expected = status?.capacity?.[name];
    if (expected === undefined || parseQuantity(requested) === 0n || parseQuantity(expected) === 0n) return [];
    const found = shown[name] ?? "0";
    const isThere = parseQuantity(found) * 100n >= parseQuantity(expected) * leastSharePercent;
    return isThere
      ? []
      : [`Node ${node.metadata.name} has ${name} ${found}; accepted: ${leastSharePercent} % of ${expected} or more`];
  });
  return problems.sort()[0];
}

/** What will never let a leaving node go; undefined when nothing does. */
function terminationProblem(
  node: Node,
  pods: readonly PodRecord[],
  budgets: readonly PodDisruptionBudget[],
): string | undefined {
  const kept = pods
    .filter((pod) => isActive(pod) && !isMirrorPod(pod) && !toleratesDisruption(pod) && isFullyBlocked(pod, budgets))
    .map(podName)
    .sort();
  if (kept.length === 0) return undefined;
  return `Node ${node.metadata.name} cannot be drained: the PodDisruptionBudgets of Pod ${kept[0]} never allow its eviction`;
}

/** The condition that says whether a claim and its node agree. */
export function consistency(claim: NodeClaim, node: Node): ConditionChange {
  return verdict(shapeProblem(claim, node));
}

function verdict(problem: string | undefined): ConditionChange {
  const type = "ConsistentStateFound";
  if (problem === undefined) return { type, status: "True", reason: type };
  return { type, status: "False", reason: "ConsistencyCheckFailed", message: problem };
}

/**
 * Looks at the nodes of all initialized claims, and tells on a claim and in an event what is wrong with one (Karpenter: every 10 minutes).
 * A check that cannot be told holds up no other.
 */
export async function checkConsistency(
  ports: Ports,
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
  pods: readonly Pod[],
): Promise<void> {
  const byProviderId = new Map(nodes.map((node) => [node.spec?.providerID, node]));
  const checked = claims.flatMap((claim) => {
    const node = byProviderId.get(claim.status?.providerID);
    const isChecked = node !== undefined && isManagedClaim(claim) && isTrue(claim, "Initialized");
    return isChecked ? [{ claim, node }] : [];
  });
  const hasLeaving = checked.some(({ claim }) => claim.metadata.deletionTimestamp !== undefined);
  const budgets = hasLeaving ? await ports.kubernetes.list("PodDisruptionBudget") : [];
  const decoder = new PodDecoder();
  const podsOn = (name: string) => pods.filter(({ spec }) => spec.nodeName === name).map((pod) => decoder.decode(pod));
  await limitedParallel(checked, checksAtOnce, async ({ claim, node }) => {
    const isLeaving = claim.metadata.deletionTimestamp !== undefined;
    const problem = isLeaving ? terminationProblem(node, podsOn(node.metadata.name), budgets) : undefined;
    await tellVerdict(ports, claim, verdict(shapeProblem(claim, node) ?? problem));
  });
}

async function tellVerdict(ports: Ports, claim: NodeClaim, wanted: ConditionChange): Promise<void> {
  const { type, status, message = "" } = wanted;
  const told = conditionOf(claim, type);
  if (told?.status === status && (told.message ?? "") === message) return;
  try {
    await tell(ports, claim, [wanted]);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const fields = { nodeClaim: claim.metadata.name, code: error.code, message: error.message };
    ports.telemetry.log("warn", "consistency not told; the next sweep tries again", fields);
    return;
  }
  if (status === "False") await writeWarning(ports, claim, { reason: "FailedConsistencyCheck", message });
}
