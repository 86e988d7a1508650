import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PodSpec } from "../../shared/api/core.ts";
import { label } from "../../shared/api/labels.ts";
import { planCostUsdPerHour } from "../../shared/provisioning/plan.ts";
import { catalogOf } from "../support/catalog.ts";
import { cheapestPlan, type ExactApp, type ExactRule } from "../support/exact-plans.ts";
import { nodePool, oneOf } from "../support/node-pools.ts";
import { plainNode } from "../support/nodes.ts";
import { awayFrom, hostnameSpread, near, pendingPods, runningPod, zoneSpread } from "../support/pods.ts";
import { planFor } from "../support/snapshot.ts";

const zones = ["a", "b", "c"];
const skew = fc.integer({ min: 1, max: 2 });
const rules: fc.Arbitrary<ExactRule> = fc.oneof(
  fc.record({ kind: fc.constant("zone spread" as const), maxSkew: skew }),
  fc.record({ kind: fc.constant("zone spread" as const), maxSkew: skew }),
  fc.record({ kind: fc.constant("hostname spread" as const), maxSkew: skew }),
  fc.record({ kind: fc.constantFrom("none", "zone anti-affinity", "hostname anti-affinity", "zone affinity") }),
);
const counts = fc.record(Object.fromEntries(zones.map((zone) => [zone, fc.constantFrom(0, 0, 0, 1, 2)])));
const noCounts = fc.constant({});
const app = fc.record({
  cpu: fc.integer({ min: 1, max: 4 }),
  pods: fc.integer({ min: 1, max: 4 }),
  rule: rules,
  running: fc.oneof(noCounts, noCounts, counts),
});
const price = fc.integer({ min: 8, max: 20 });
const worlds = fc.record({
  apps: fc.array(app, { minLength: 1, maxLength: 2 }),
  /** Cents for each vCPU by size and zone. */
  prices: fc.array(fc.array(price, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
});
const sizes = { "m5.large": 2, "m5.xlarge": 4, "m5.2xlarge": 8 };

describe("the lower bound of a plan", () => {
  it("is never above the cheapest nodes in any zones that keep the topology rules", () => {
    const ratios: number[] = [];
    const property = fc.property(worlds, ({ apps: drawn, prices }) => {
      const apps = drawn.map((one, index): ExactApp => ({ ...one, name: `app${index}` }));
      fc.pre(apps.reduce((sum, { pods }) => sum + pods, 0) <= 6);
      const types = Object.entries(sizes).map(([name, vcpus], size) => ({
        name,
        vcpus,
        prices: Object.fromEntries(zones.map((zone, index) => [zone, (vcpus * (prices[size]?.[index] ?? 0)) / 100])),
      }));
      const plan = planOf(apps, types);
      fc.pre(plan.unschedulable.length === 0 && plan.nodeClaims.length > 0);
      const charge = (planCostUsdPerHour(plan) - plan.priceUsdPerHour) / plan.nodeClaims.length;
      const charged = types.map((type) => ({
        ...type,
        prices: Object.fromEntries(Object.entries(type.prices).map(([zone, usd]) => [zone, usd + charge])),
      }));
      const optimum = cheapestPlan(apps, charged, zones) ?? Number.NaN;
      expect(plan.lowerBoundUsdPerHour).toBeLessThanOrEqual(optimum + 1e-6);
      expect(planCostUsdPerHour(plan)).toBeGreaterThanOrEqual(optimum - 1e-6);
      ratios.push(plan.lowerBoundUsdPerHour / optimum);
    });
    const { WORLDS_SEED: seed, WORLDS_PATH: path, WORLDS_RUNS: runs } = process.env;
    const result = fc.check(property, {
      numRuns: Number(runs ?? 100),
      ...(seed !== undefined && { seed: Number(seed) }),
      ...(path !== undefined && { path }),
    });
    if (result.failed) {
      const replay = `to see it again: WORLDS_SEED=${result.seed} WORLDS_PATH=${result.counterexamplePath}`;
      throw new Error(`${replay}\n${fc.defaultReportMessage(result)}`, { cause: result.errorInstance });
    }
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    console.log(
      `bound over optimum: mean ${mean.toFixed(4)}, least ${Math.min(...ratios).toFixed(4)} of ${ratios.length}`,
    );
    expect(mean).toBeGreaterThan(0.9);
  });
});

function planOf(
  apps: readonly ExactApp[],
  types: readonly {
    readonly name: string;
    readonly vcpus: number;
    readonly prices: Readonly<Record<string, number>>;
  }[],
) {
  const full = { key: "full", effect: "NoSchedule" as const };
  return planFor({
    pools: [nodePool("default", { requirements: [oneOf(label.capacityType, "spot")] })],
    catalog: catalogOf(
      Object.fromEntries(
        types.map(({ name, vcpus, prices }) => [name, { vcpus, memoryGib: 64, priceUsdPerHour: vcpus, spot: prices }]),
      ),
    ),
    nodes: zones.map((zone) => plainNode(`node-${zone}`, { zone, taints: [full] })),
    pods: apps.flatMap(({ name, cpu, pods, rule, running }) => {
      const input = { app: name, cpu: String(cpu), spec: specOf(name, rule) };
      const present = zones.flatMap((zone) =>
        Array.from({ length: running[zone] ?? 0 }, (_, index) =>
          runningPod(`${name}-${zone}-${index}`, `node-${zone}`, { app: name, cpu: "1m" }),
        ),
      );
      return [...pendingPods(pods, name, input), ...present];
    }),
  });
}

function specOf(name: string, rule: ExactRule): Partial<PodSpec> {
  switch (rule.kind) {
    case "none":
      return {};
    case "zone spread":
      return zoneSpread(name, { maxSkew: rule.maxSkew });
    case "hostname spread":
      return hostnameSpread(name, { maxSkew: rule.maxSkew });
    case "zone anti-affinity":
      return awayFrom(name, label.zone);
    case "hostname anti-affinity":
      return awayFrom(name, label.hostname);
    case "zone affinity":
      return near(name, label.zone);
  }
}
