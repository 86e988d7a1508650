import { expect } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { Lazy } from "../../shared/provisioning/lazily.ts";
import type { PlannedNodeClaim, ProvisioningPlan } from "../../shared/provisioning/plan.ts";
import { requirementsOf } from "../../shared/scheduling/requirements.ts";
import type { PodRecord } from "../../shared/state/pod-record.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";
import { planProblems } from "./plan-checker/plan-problems.ts";
import { noNodeCost } from "./plans.ts";
import { snapshotWith, type World } from "./snapshot.ts";

const gib = 2 ** 30;

/** A node that somebody plans by hand: m5.xlarge (4 CPU, 16 GiB) on demand in zone a for 0.2 USD per hour, unless stated otherwise. */
export interface HandMadeClaim {
  readonly pods: readonly string[];
  readonly pool?: string;
  readonly zone?: string;
  readonly changes?: Partial<PlannedNodeClaim>;
  readonly offering?: Partial<PlannedNodeClaim["offerings"][number]>;
}

/** A plan that no planner made: pods by name on new nodes and on nodes that exist; the others have no place. */
export interface HandMadePlan {
  readonly claims?: readonly HandMadeClaim[];
  readonly existing?: Readonly<Record<string, readonly string[]>>;
  readonly unschedulable?: readonly string[];
  /** Of all the unschedulable ones. */
  readonly reasons?: ProvisioningPlan["unschedulable"][number]["reasons"];
  readonly changes?: Partial<ProvisioningPlan>;
}

/** The plan passes the checker. */
export function expectHolds(world: World, plan: HandMadePlan): void {
  const snapshot = snapshotWith(world);
  expect(planProblems(snapshot, planOf(snapshot, plan))).toEqual([]);
}

/** The checker finds fault with the plan, in these words. */
export function expectFault(world: World, plan: HandMadePlan, words: RegExp | string): void {
  const snapshot = snapshotWith(world);
  const problems = planProblems(snapshot, planOf(snapshot, plan)).join("\n");
  if (typeof words === "string") expect(problems).toContain(words);
  else expect(problems).toMatch(words);
}

function planOf(snapshot: Snapshot, plan: HandMadePlan): ProvisioningPlan {
  const nodeClaims = (plan.claims ?? []).map((claim, index) => claimOf(snapshot, claim, index));
  const existing = Object.entries(plan.existing ?? {}).map(([name, pods]) => ({ name, pods: podsOf(snapshot, pods) }));
  const reasons = plan.reasons ?? [{ nodePool: "default", reason: "it is too large" }];
  return {
    nodeClaims,
    existing,
    unschedulable: podsOf(snapshot, plan.unschedulable ?? []).map((pod) => ({ pod, reasons })),
    waiting: [],
    podsByZone: new Map(),
    priceUsdPerHour: nodeClaims.reduce((sum, { offerings: [best] }) => sum + best.priceUsdPerHour, 0),
    nodeCost: noNodeCost,
    spotFlexibilityUsdPerHour: 0,
    spotSpreadUsdPerHour: 0,
    preferenceCostUsdPerHour: 0,
    lowerBoundUsdPerHour: 0,
    instancesLowerBound: new Lazy(() => 0),
    ...plan.changes,
  };
}

function claimOf(snapshot: Snapshot, claim: HandMadeClaim, index: number): PlannedNodeClaim {
  const { pool = "default", zone = "a", offering, changes } = claim;
  const best = {
    instanceType: "m5.xlarge",
    zone,
    capacityType: "on-demand" as const,
    priceUsdPerHour: 0.2,
    ...offering,
  };
  return {
    name: `${pool}-${index}`,
    nodePool: pool,
    pods: podsOf(snapshot, claim.pods),
    offerings: [best],
    requirements: requirementsOf([{ key: label.zone, operator: "In", values: [best.zone] }]),
    labels: { [label.nodePool]: pool, [label.nodeClass]: "default" },
    taints: [],
    startupTaints: [],
    requests: {},
    allocatable: { cpu: 4_000, memory: 16 * gib, pods: 110 },
    reason: "made by hand",
    nodeCost: noNodeCost,
    minValuesRelaxed: false,
    ...changes,
  };
}

function podsOf(snapshot: Snapshot, names: readonly string[]): readonly PodRecord[] {
  return names.map((name) => {
    const pod = snapshot.pods.find((candidate) => candidate.name === name);
    if (pod === undefined) throw new RangeError(`the world has no pod ${name}`);
    return pod;
  });
}
