import { expect } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { metric } from "../../../shared/metrics.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../../support/planner-world.ts";
import { awayFrom, near, nodeTerms, pendingPod, pendingPods, runningPod, zoneSpread } from "../../support/pods.ts";
import type { World } from "../../support/snapshot.ts";

conforms("sched.metrics | 10 impossible pods | unschedulable_pods_count = 10", async () => {
  const world = plannerWorld();
  addNodePool(world, "default");
  for (let index = 0; index < 10; index++) addPendingPod(world, `huge-${index}`, { cpu: "10000" });
  await world.provision();
  expect(metric.unschedulablePods).toBe("karpenter_scheduler_unschedulable_pods_count");
  expect(world.telemetry.total(metric.unschedulablePods)).toBe(10);
});

function byZone(world: World) {
  return Object.fromEntries(solve(world).plan.podsByZone);
}

function inZone(name: string, ...zones: string[]): Pod {
  return pendingPod(name, { cpu: "100m", spec: nodeTerms([[label.zone, "In", ...zones]]) });
}

conforms(
  "sched.metrics.zone | unconstrained pods; several constraints; preferred zone | flexible; per-zone counts; preference doesn't narrow",
  async () => {
    expect(byZone({ pods: pendingPods(3, "p", { cpu: "100m" }) })).toEqual({ flexible: 3 });
    const pods = [inZone("one", "a"), inZone("two", "a"), inZone("three", "b"), inZone("four", "a", "c")];
    expect(byZone({ pods })).toEqual({ a: 2, b: 1, flexible: 1 });
    expect(byZone({ pods, pools: [nodePool("default", { requirements: [oneOf(label.zone, "a", "b")] })] })).toEqual({
      a: 3,
      b: 1,
    });
    const preference = { matchExpressions: [{ key: label.zone, operator: "In" as const, values: ["b"] }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    expect(byZone({ pods: [pendingPod("p", { spec: { affinity: { nodeAffinity } } })] })).toEqual({ flexible: 1 });

    const world = plannerWorld();
    addNodePool(world, "default");
    addPendingPod(world, "web");
    await world.provision();
    expect(metric.pendingPodsByZone).toBe("karpenter_scheduler_pending_pods_by_effective_zone_count");
    expect(world.telemetry.total(metric.pendingPodsByZone)).toBe(1);
  },
);

/** Full nodes in zones a and b, with a pod of the app `db` on each. */
const nodes = ["a", "b"].map((zone) => plainNode(`node-${zone}`, { zone, cpu: "1" }));
const running = ["a", "b"].map((zone) => runningPod(`db-${zone}`, `node-${zone}`, { app: "db", cpu: "1" }));

conforms(
  "sched.metrics.zone | required affinity / anti-affinity / restricting spread | the single remaining zone (or flexible)",
  () => {
    const [inA] = running;
    const here = inA === undefined ? [] : [inA];
    const affine = pendingPod("p", { cpu: "100m", spec: near("db", label.zone) });
    expect(byZone({ nodes, pods: [...here, affine] })).toEqual({ a: 1 });
    expect(byZone({ nodes, pods: [...running, affine] })).toEqual({ flexible: 1 });
    const averse = pendingPod("p", { cpu: "100m", spec: awayFrom("db", label.zone) });
    expect(byZone({ nodes, pods: [...running, averse] })).toEqual({ c: 1 });
    expect(byZone({ nodes, pods: [...here, averse] })).toEqual({ flexible: 1 });
    const spreading = pendingPod("p", { app: "db", cpu: "100m", spec: zoneSpread("db") });
    expect(byZone({ nodes, pods: [...running, spreading] })).toEqual({ c: 1 });
    expect(byZone({ nodes, pods: [...here, spreading] })).toEqual({ flexible: 1 });
  },
);

conforms("sched.metrics.zone | unsatisfiable spread / affinity / anti-affinity (x3) | none", () => {
  const onlyA = [nodePool("default", { requirements: [oneOf(label.zone, "a", "b")] })];
  const spec = { ...zoneSpread("db"), ...nodeTerms([[label.zone, "In", "a", "b"]]) };
  const nodeAffinityPolicy = "Ignore" as const;
  const spreading = { ...spec, ...zoneSpread("db", { nodeAffinityPolicy, minDomains: 3 }) };
  expect(byZone({ nodes, pods: [...running, pendingPod("p", { app: "db", spec: spreading })], pools: onlyA })).toEqual({
    none: 1,
  });
  expect(byZone({ pods: [pendingPod("p", { spec: near("absent", label.zone) })] })).toEqual({ none: 1 });
  const averse = pendingPod("p", { spec: awayFrom("db", label.zone) });
  expect(byZone({ nodes, pods: [...running, averse], pools: onlyA })).toEqual({ none: 1 });
});
