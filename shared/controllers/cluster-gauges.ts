import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { Condition, ResourceList } from "../api/schema.ts";
import type { KubernetesPort } from "../ports.ts";
import { quantityToMillis } from "../scheduling/quantities.ts";

/** One sample of a gauge in Prometheus' terms. */
export interface GaugeSample {
  readonly name: GaugeName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type GaugeName = keyof typeof gaugeHelp;

/** Karpenter's own names and labels (karpenter-core §9), so that dashboards and alarms survive the change. */
export const gaugeHelp = {
  karpenter_nodepools_limit: "What a NodePool may hold at the most, by resource.",
  karpenter_nodepools_usage: "What a NodePool holds, by resource.",
  operator_nodepool_status_condition_count: "1 for each condition of a NodePool, as it stands.",
  operator_nodepool_status_condition_current_status_seconds: "For how long a condition of a NodePool has stood so.",
  operator_nodepool_termination_current_time_seconds: "For how long a NodePool has been terminating.",
  operator_nodeclaim_status_condition_count: "1 for each condition of a NodeClaim, as it stands.",
  operator_nodeclaim_status_condition_current_status_seconds: "For how long a condition of a NodeClaim has stood so.",
  operator_nodeclaim_termination_current_time_seconds: "For how long a NodeClaim has been terminating.",
} as const;

/** The state of NodePools and NodeClaims at `now`, epoch milliseconds. */
export async function clusterGauges(kubernetes: Pick<KubernetesPort, "list">, now: number): Promise<GaugeSample[]> {
  const [pools, claims] = await Promise.all([kubernetes.list("NodePool"), kubernetes.list("NodeClaim")]);
  return [
    ...pools.flatMap((pool) => [...resourcesOf(pool), ...stateOf("nodepool", pool, now)]),
    ...claims.flatMap((claim) => stateOf("nodeclaim", claim, now)),
  ];
}

function resourcesOf({ metadata, spec, status }: NodePool): GaugeSample[] {
  const samples = (name: GaugeName, resources: ResourceList = {}): GaugeSample[] =>
    Object.entries(resources).map(([resource, quantity]) => ({
      name,
      labels: { nodepool: metadata.name, resource_type: resource.toLowerCase().replaceAll("-", "_") },
      value: quantityToMillis(quantity) / 1000,
    }));
  return [
    ...samples("karpenter_nodepools_limit", spec.limits),
    ...samples("karpenter_nodepools_usage", status?.resources),
  ];
}

function stateOf(
  kind: "nodepool" | "nodeclaim",
  { metadata, status }: NodePool | NodeClaim,
  now: number,
): GaugeSample[] {
  const object = { name: metadata.name, namespace: "" };
  const conditions: readonly Condition[] = status?.conditions ?? [];
  const samples = conditions.flatMap(({ type, status: state, reason = "", lastTransitionTime }): GaugeSample[] => {
    const labels = { ...object, type, status: state, reason };
    const count: GaugeSample = { name: `operator_${kind}_status_condition_count`, labels, value: 1 };
    if (lastTransitionTime === undefined) return [count];
    const value = secondsSince(lastTransitionTime, now);
    return [count, { name: `operator_${kind}_status_condition_current_status_seconds`, labels, value }];
  });
  if (metadata.deletionTimestamp === undefined) return samples;
  const value = secondsSince(metadata.deletionTimestamp, now);
  return [...samples, { name: `operator_${kind}_termination_current_time_seconds`, labels: object, value }];
}

function secondsSince(time: string, now: number): number {
  return Math.max(0, (now - Date.parse(time)) / 1000);
}
