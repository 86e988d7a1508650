import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Node, Pod, PodSpec } from "../../shared/api/core.ts";
import { label } from "../../shared/api/labels.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";
import { catalogOf } from "../support/catalog.ts";
import { daemonSetNamed } from "../support/cluster-objects.ts";
import { nodePool, oneOf } from "../support/node-pools.ts";
import { plainNode } from "../support/nodes.ts";
import { planProblems } from "../support/plan-checker.ts";
import { awayFrom, hostnameSpread, near, pendingPods, runningPod, zoneSpread } from "../support/pods.ts";
import { snapshotWith, type World } from "../support/snapshot.ts";

const apps = ["red", "green", "blue"] as const;
const app = fc.constantFrom(...apps);
const tainted = { key: "dedicated", value: "batch", effect: "NoSchedule" } as const;

/** Rules as users combine them; several constraints of one pod merge. */
const rule: fc.Arbitrary<(own: string) => Partial<PodSpec>> = fc.oneof(
  fc.constant(() => ({})),
  fc.integer({ min: 1, max: 2 }).map((maxSkew) => (own: string) => zoneSpread(own, { maxSkew })),
  fc.integer({ min: 1, max: 2 }).map((maxSkew) => (own: string) => hostnameSpread(own, { maxSkew })),
  fc.constant((own: string) => zoneSpread(own, { minDomains: 3 })),
  fc.constantFrom(label.zone, label.hostname).map((key) => (own: string) => awayFrom(own, key)),
  fc.constantFrom(label.zone, label.hostname).map((key) => (own: string) => near(own, key)),
  fc.tuple(app, fc.constantFrom(label.zone, label.hostname)).map(
    ([other, key]) =>
      () =>
        near(other, key),
  ),
  fc.tuple(app, fc.constantFrom(label.zone, label.hostname)).map(
    ([other, key]) =>
      () =>
        awayFrom(other, key),
  ),
  fc.constantFrom("a", "b", "d").map((zone) => () => ({ nodeSelector: { [label.zone]: zone } })),
  fc.constant(() => ({ containers: [{ ports: [{ hostPort: 80 }], resources: { requests: { cpu: "500m" } } }] })),
);

/** By app, not by workload: a spread that honours node affinity counts a pod or not by the node it happens to get. */
const selectors = fc.record({
  red: fc.constant({}),
  green: fc.constantFrom({}, { [label.arch]: "arm64" }),
  blue: fc.constantFrom({}, { team: "x" }, { team: "y" }),
});

const workload = fc.record({
  app,
  count: fc.integer({ min: 1, max: 6 }),
  cpu: fc.constantFrom("250m", "1", "1500m", "3", "20"),
  memory: fc.constantFrom("512Mi", "4Gi", "10Gi"),
  tolerates: fc.boolean(),
  rules: fc.tuple(rule, rule),
});

const pool = fc.record({
  weight: fc.constantFrom(1, 10),
  limits: fc.constantFrom(undefined, { cpu: "10" }, { nodes: "2" }),
  zones: fc.constantFrom(undefined, ["a"], ["a", "b"]),
  taints: fc.constantFrom([], [tainted]),
  teams: fc.constantFrom(undefined, ["x"], ["x", "y"]),
});

const worlds: fc.Arbitrary<World> = fc
  .record({
    workloads: fc.array(workload, { minLength: 1, maxLength: 4 }),
    pools: fc.array(pool, { minLength: 1, maxLength: 2 }),
    nodes: fc.array(fc.record({ zone: fc.constantFrom("a", "b", "z"), resident: fc.option(app) }), { maxLength: 3 }),
    daemon: fc.boolean(),
    selectors,
    spot: fc.boolean(),
  })
  .map(({ workloads, pools, nodes, daemon, selectors: byApp, spot }) => ({
    pods: [
      ...workloads.flatMap((input, index) => podsOf(input, index, byApp[input.app])),
      ...nodes.flatMap(residentsOf),
    ],
    nodes: nodes.map(({ zone }, index): Node => plainNode(`node-${index}`, { zone, cpu: "4" })),
    pools: pools.map(({ weight, limits, zones, taints, teams }, index) =>
      nodePool(`pool-${index}`, {
        weight,
        taints,
        ...(limits && { limits }),
        requirements: [...(zones ? [oneOf(label.zone, ...zones)] : []), ...(teams ? [oneOf("team", ...teams)] : [])],
      }),
    ),
    daemonSets: daemon ? [daemonSetNamed("agent", { cpu: "100m", memory: "64Mi" })] : [],
    ...(spot && { catalog: spotCatalog }),
  }));

const spotCatalog = catalogOf({
  "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { a: 0.03, b: 0.04, c: 0.06 } },
  "c5.xlarge": { vcpus: 4, memoryGib: 8, priceUsdPerHour: 0.17, spot: { a: 0.09, b: 0.05 } },
  "r5.2xlarge": { vcpus: 8, memoryGib: 64, priceUsdPerHour: 0.5, spot: { b: 0.12, c: 0.11 } },
  "t3.small": { vcpus: 2, memoryGib: 2, priceUsdPerHour: 0.02 },
  "m6g.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.08, arch: "arm64" },
});

type Workload = typeof workload extends fc.Arbitrary<infer T> ? T : never;

function podsOf(input: Workload, index: number, selector: Readonly<Record<string, string>>): Pod[] {
  const [first, second] = input.rules.map((make) => make(input.app));
  const spec: Partial<PodSpec> = {
    ...first,
    ...second,
    affinity: { ...first?.affinity, ...second?.affinity },
    topologySpreadConstraints: [
      ...(first?.topologySpreadConstraints ?? []),
      ...(second?.topologySpreadConstraints ?? []),
    ],
    nodeSelector: { ...first?.nodeSelector, ...second?.nodeSelector, ...selector },
    ...(input.tolerates && { tolerations: [{ key: "dedicated", operator: "Exists" as const }] }),
  };
  const { app, cpu, memory } = input;
  return pendingPods(input.count, `w${index}`, { app, cpu, memory, spec });
}

function residentsOf({ resident }: { readonly resident: string | null }, index: number): Pod[] {
  return resident === null ? [] : [runningPod(`resident-${index}`, `node-${index}`, { app: resident, cpu: "1" })];
}

const runs = { numRuns: 150 };

describe("a plan of any small world", () => {
  it("comes true under kube-scheduler's predicates, and no node is overfilled", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotWith(world);
        expect(planProblems(snapshot, planProvisioning(snapshot))).toEqual([]);
      }),
      runs,
    );
  });

  it("answers every pending pod exactly once", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotWith(world);
        const plan = planProvisioning(snapshot);
        const answered = [
          ...plan.nodeClaims.flatMap(({ pods }) => pods),
          ...plan.existing.flatMap(({ pods }) => pods),
          ...plan.unschedulable.map(({ pod }) => pod),
        ].map(({ uid }) => uid);
        const pending = snapshot.pods.filter((pod) => pod.unschedulable).map(({ uid }) => uid);
        expect(answered.sort()).toEqual(pending.sort());
        for (const { reasons } of plan.unschedulable) expect(reasons.every(({ reason }) => reason !== "")).toBe(true);
      }),
      runs,
    );
  });

  it("is the same whatever the order of the snapshot's lists", () => {
    fc.assert(
      fc.property(worlds, fc.integer(), (world, seed) => {
        const snapshot = snapshotWith(world);
        expect(planProvisioning(shuffled(snapshot, seed))).toEqual(planProvisioning(snapshot));
      }),
      runs,
    );
  });

  it("costs no less than its lower bound and keeps the NodePools' limits", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotWith(world);
        const plan = planProvisioning(snapshot);
        expect(plan.priceUsdPerHour).toBeGreaterThanOrEqual(plan.lowerBoundUsdPerHour - 1e-9);
        for (const { metadata, spec } of snapshot.nodePools) {
          const nodes = plan.nodeClaims.filter(({ nodePool: name }) => name === metadata.name);
          const cpu = nodes.reduce((sum, { allocatable }) => sum + (allocatable.cpu ?? 0), 0);
          expect(nodes.length).toBeLessThanOrEqual(Number(spec.limits?.nodes ?? Number.POSITIVE_INFINITY));
          expect(cpu).toBeLessThanOrEqual(1_000 * Number(spec.limits?.cpu ?? Number.POSITIVE_INFINITY));
        }
      }),
      runs,
    );
  });
});

function shuffled(snapshot: Snapshot, seed: number): Snapshot {
  const shuffle = <T>(list: readonly T[]): T[] =>
    list
      .map((value, index) => ({ value, rank: Math.imul(index + 1, seed | 1) ^ (seed >>> 3) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ value }) => value);
  return {
    ...snapshot,
    pods: shuffle(snapshot.pods),
    nodes: shuffle(snapshot.nodes),
    nodePools: shuffle(snapshot.nodePools),
    daemonSets: shuffle(snapshot.daemonSets),
    catalog: { ...snapshot.catalog, types: shuffle(snapshot.catalog.types) },
  };
}
