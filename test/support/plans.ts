import { expect } from "vitest";
import type { ProvisioningPlan } from "../../shared/provisioning/plan.ts";

/** New nodes as `type in zone: pods`, sorted; what the plan is about and nothing more. */
export function expectNodes(plan: ProvisioningPlan, ...expected: readonly string[]): void {
  expect(nodesOf(plan)).toEqual([...expected].sort());
}

function nodesOf(plan: ProvisioningPlan): readonly string[] {
  return plan.nodeClaims
    .map(({ offerings: [best], pods }) => `${best.instanceType} in ${best.zone}: ${namesOf(pods)}`)
    .sort();
}

/** Types of the new nodes, sorted. */
export function expectTypes(plan: ProvisioningPlan, ...expected: readonly string[]): void {
  expectAllPlaced(plan);
  expect(plan.nodeClaims.map(({ offerings }) => offerings[0].instanceType).sort()).toEqual([...expected].sort());
}

/** Pods on new nodes per domain, the fewest first: `[1, 1, 2]`. */
export function expectSpread(
  plan: ProvisioningPlan,
  by: "zone" | "node" | "capacityType",
  counts: readonly number[],
): void {
  const domains = plan.nodeClaims.map(({ offerings: [best], name, pods }) => ({
    domain: by === "node" ? name : best[by],
    pods: pods.length,
  }));
  const sums = [...Map.groupBy(domains, ({ domain }) => domain).values()].map((same) =>
    same.reduce((sum, { pods }) => sum + pods, 0),
  );
  expect(sums.sort((a, b) => a - b)).toEqual(counts);
}

/** No new node: the pods have room, by node name. */
export function expectExisting(plan: ProvisioningPlan, expected: Readonly<Record<string, string>>): void {
  expect(Object.fromEntries(plan.existing.map(({ name, pods }) => [name, namesOf(pods)]))).toEqual(expected);
}

export function expectAllPlaced(plan: ProvisioningPlan): void {
  expect(plan.unschedulable.map(({ pod, reasons }) => `${pod.name}: ${reasons.map(({ reason }) => reason)}`)).toEqual(
    [],
  );
}

/** The pods without a place, and a reason of one of the NodePools that each of them has. */
export function expectUnschedulable(plan: ProvisioningPlan, names: readonly string[], reason: RegExp | string): void {
  expect(plan.unschedulable.map(({ pod }) => pod.name).sort()).toEqual([...names].sort());
  for (const { reasons } of plan.unschedulable) {
    const texts = reasons.map((entry) => `${entry.nodePool}: ${entry.reason}`).join("\n");
    if (typeof reason === "string") expect(texts).toContain(reason);
    else expect(texts).toMatch(reason);
  }
}

function namesOf(pods: readonly { readonly name: string }[]): string {
  return pods
    .map(({ name }) => name)
    .sort()
    .join(" ");
}

/** Of a plan whose nodes cost nothing beside their instances. */
export const noNodeCost = { volumesUsdPerHour: 0, chargeUsdPerHour: 0, daemonSetsUsdPerHour: 0 };
