import type { NodeClaim } from "../api/node-claim.ts";
import { budgetAnnotation, formatBudget, parseBudget, type RequestBudget } from "../cloud/request-budget.ts";
import type { Hint } from "../hints.ts";
import { metric } from "../metrics.ts";
import type { Ports } from "../ports.ts";
import { withoutBufferPods } from "../provisioning/buffer-plan.ts";
import { claimOfferings } from "../provisioning/claim-offerings.ts";
import { sumOfCosts } from "../provisioning/node-cost.ts";
import type { PlannedNodeClaim, ProvisioningPlan } from "../provisioning/plan.ts";
import { planProvisioning } from "../provisioning/scheduler.ts";
import { planStaticCapacity, type StaticCapacityPlan, withStaticCapacity } from "../provisioning/static-capacity.ts";
import { isManagedClaim } from "../state/managed.ts";
import { podName } from "../state/pod-record.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { waitForQuiet } from "./batching-window.ts";
import { writeBufferStatuses } from "./capacity-buffers.ts";
import { createClaim, createStaticClaim } from "./claim-creation.ts";
import { DeferredErrors } from "./deferred-errors.ts";
import { nominateToInFlight } from "./in-flight-nominations.ts";
import { withoutMended } from "./launch-failures.ts";
import { withinLaunchLimits } from "./launch-limits.ts";
import { type LaunchPassEnd, launchClaims } from "./launching.ts";
import { acquireLease, type LeaseOptions, plannerLease, releaseLease } from "./lease.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { writeOverlayStatuses } from "./node-overlay-status.ts";
import { stampNodePools } from "./node-pool-hash.ts";
import { withPoolConditions, writeNodePoolStatuses } from "./node-pool-status.ts";
import { writePodEvents } from "./pod-events.ts";
import { readWorld } from "./read-snapshot.ts";
import { noteRoom } from "./room-notes.ts";

/** Function timeout and ten seconds (design rule 5, §4.1). */
const leaseDurationSeconds = 70;
const retryWhenHeldSeconds = 2;
const claimsCreatedAtOnce = 8;

/** On the planner's Lease: when the last finished pass began. Hints from before it have been answered by it. */
const lastPassAnnotation = "journeyman.sh/last-pass-started-at";

export type PassResult =
  | { readonly kind: "answered-before" }
  | { readonly kind: "held"; readonly holder: string }
  | { readonly kind: "finished"; readonly plan: ProvisioningPlan };

/** One planner pass: read the world, plan, write the intent, launch (design §4.1). Throws when a pass cannot be finished. */
export async function provision(ports: Ports, settings: Settings, hints: readonly Hint[]): Promise<PassResult> {
  const lease = { name: plannerLease, namespace: settings.namespace, durationSeconds: leaseDurationSeconds };
  if (await isAnswered(ports, lease, hints)) return { kind: "answered-before" };
  const attempt = await acquireLease(ports, lease);
  if (attempt.kind === "held") {
    const hint: Hint = { kind: "provision", reason: "retry", at: ports.clock.now() };
    await ports.hints.send(hint, { delaySeconds: retryWhenHeldSeconds });
    return { kind: "held", holder: attempt.holder };
  }
  let annotations: Readonly<Record<string, string>> = {};
  try {
    await waitForQuiet(ports, settings, hints);
    const startedAt = ports.clock.now();
    const budget = parseBudget(attempt.lease.metadata.annotations?.[budgetAnnotation], startedAt);
    const { plan, launches } = await pass(ports, settings, { lease, startedAt, budget });
    annotations = {
      [lastPassAnnotation]: String(startedAt),
      ...(launches.budget && { [budgetAnnotation]: formatBudget(launches.budget) }),
    };
    return { kind: "finished", plan };
  } finally {
    await releaseLease(ports, lease, annotations);
  }
}

/** Clocks of two functions differ by less. */
const skewMilliseconds = 60_000;

async function isAnswered(ports: Ports, lease: LeaseOptions, hints: readonly Hint[]): Promise<boolean> {
  const newestAt = Math.max(...hints.map((hint) => hint.at));
  const stored = await ports.kubernetes.get("Lease", { name: lease.name, namespace: lease.namespace });
  const lastPassAt = Number(stored?.metadata.annotations?.[lastPassAnnotation] ?? 0);
  // A pass of the future was one of a clock that was ahead, and has answered nothing.
  return newestAt < lastPassAt && lastPassAt <= ports.clock.now() + skewMilliseconds;
}

async function pass(
  ports: Ports,
  settings: Settings,
  turn: { readonly lease: LeaseOptions; readonly startedAt: number; readonly budget: RequestBudget },
): Promise<{ readonly plan: ProvisioningPlan; readonly launches: LaunchPassEnd }> {
  const world = await readWorld(ports, settings);
  const { buffers } = world;
  const read = await withoutMended(ports, settings, world.snapshot);
  const seen = withPoolConditions(read);
  const errors = new DeferredErrors();
  const fixed = planStaticCapacity(seen);
  const fixedClaims = await created(fixed.nodeClaims, (planned) =>
    errors.during(() => createStaticClaim(ports, planned, { snapshot: seen, plan: noPods })),
  );
  const snapshot = withClaims(seen, [...fixedClaims.values()]);
  const pods = planProvisioning(snapshot);
  const plan = withStaticCapacity(withoutBufferPods(pods), fixed);
  report(ports, plan, fixed);
  const claims = await created(pods.nodeClaims, (planned) =>
    errors.during(() => createClaim(ports, planned, { snapshot, plan: pods })),
  );
  await errors.during(() => noteRoom(ports, pods, snapshot));
  await errors.during(() => nominateToInFlight(ports, plan, snapshot));
  const choices = new Map(
    [...fixedClaims, ...claims].map(([planned, { metadata }]) => [metadata.name, planned.offerings]),
  );
  const ownClaims = (await ports.kubernetes.list("NodeClaim")).filter(isManagedClaim);
  const listed = ownClaims.map((nodeClaim) => ({
    nodeClaim,
    offerings: choices.get(nodeClaim.metadata.name) ?? remainingOfferings(nodeClaim, snapshot),
  }));
  const toLaunch = settings.observe ? [] : await withinLaunchLimits(ports, snapshot, listed, errors);
  const launches = await launchClaims({ ports, settings, snapshot, errors, ...turn }, toLaunch);
  await writeBufferStatuses(ports, buffers, { plan: pods, snapshot, errors });
  await writeOverlayStatuses(ports, snapshot, errors);
  await stampNodePools(ports, read, errors);
  await writeNodePoolStatuses(ports, { ...read, launchBreakers: launches.breakers }, errors);
  await writePodEvents(ports, pods, new Map([...claims].map(([planned, { metadata }]) => [planned, metadata.name])));
  errors.throwFirst();
  return { plan, launches };
}

const noPods = { priceUsdPerHour: 0, nodeCost: sumOfCosts([]), lowerBoundUsdPerHour: 0 };

/** The claims that were written for planned ones, without those that could not be. */
async function created(
  planned: readonly PlannedNodeClaim[],
  create: (planned: PlannedNodeClaim) => Promise<NodeClaim | undefined>,
): Promise<ReadonlyMap<PlannedNodeClaim, NodeClaim>> {
  const stored = await limitedParallel(
    planned,
    claimsCreatedAtOnce,
    async (claim) => [claim, await create(claim)] as const,
  );
  return new Map(stored.flatMap(([claim, object]) => (object === undefined ? [] : [[claim, object] as const])));
}

/** With claims that were written since: the limits of pools and cluster count them. */
function withClaims(snapshot: Snapshot, claims: readonly NodeClaim[]): Snapshot {
  const names = new Set(snapshot.nodeClaims.map(({ metadata }) => metadata.name));
  const others = claims.filter(({ metadata }) => !names.has(metadata.name));
  return { ...snapshot, nodeClaims: [...snapshot.nodeClaims, ...others] };
}

/** Ranking is only worth its time for a claim that has no instance and is to have one. */
function remainingOfferings(claim: Parameters<typeof claimOfferings>[0], snapshot: Snapshot) {
  const isWanting = claim.status?.providerID === undefined && claim.metadata.deletionTimestamp === undefined;
  return isWanting ? claimOfferings(claim, snapshot) : [];
}

function report(ports: Ports, plan: ProvisioningPlan, { shortfalls }: StaticCapacityPlan): void {
  ports.telemetry.count(metric.unschedulablePods, plan.unschedulable.length);
  ports.telemetry.count(metric.plannedPriceUsdPerHour, plan.priceUsdPerHour);
  ports.telemetry.count(metric.plannedLowerBoundUsdPerHour, plan.lowerBoundUsdPerHour);
  for (const setting of limitsReached(plan)) ports.telemetry.count(metric.limitReached, 1, { limit: setting });
  for (const [zone, pods] of plan.podsByZone) ports.telemetry.count(metric.pendingPodsByZone, pods, { zone });
  for (const shortfall of shortfalls) ports.telemetry.log("warn", "static NodePool lacks nodes", { ...shortfall });
  ports.telemetry.log("info", "plan", {
    nodeClaims: plan.nodeClaims.map(describeClaim),
    existing: plan.existing.map(({ name, pods }) => ({ name, pods: pods.length })),
    unschedulable: plan.unschedulable.map(({ pod, reasons }) => ({ pod: podName(pod), reasons })),
    priceUsdPerHour: plan.priceUsdPerHour,
    nodeCost: plan.nodeCost,
    lowerBoundUsdPerHour: plan.lowerBoundUsdPerHour,
  });
}

/** The settings of the cluster that keep pods without a node. */
function limitsReached({ unschedulable }: ProvisioningPlan): ReadonlySet<string> {
  const keys = unschedulable.flatMap(({ reasons }) => reasons.map(({ key }) => key ?? ""));
  return new Set(keys.filter((key) => key.startsWith("settings.")).map((key) => key.slice("settings.".length)));
}

function describeClaim(claim: PlannedNodeClaim) {
  return { name: claim.name, reason: claim.reason, pods: claim.pods.map(podName) };
}
