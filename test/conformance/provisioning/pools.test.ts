import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { addNodePool, addPendingPod, hintAt, plannerWorld } from "../../support/planner-world.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";

const little = { cpu: "100m", memory: "10Mi" };

conforms("batch | single pod then quiet | provisioned after idle time", async () => {
  const world = plannerWorld();
  addNodePool(world, "default");
  addPendingPod(world, "web");
  const startedAt = world.now();
  await world.provision([hintAt(startedAt, "pods-pending")]);
  expect(world.claims()).toHaveLength(1);
  expect(world.now() - startedAt).toBeGreaterThanOrEqual(world.settings.batchIdleMilliseconds);
  expect(world.now() - startedAt).toBeLessThan(world.settings.batchMaxMilliseconds);
});

conforms("prov | one pod; many pods | nodes launched", async () => {
  const world = plannerWorld();
  addNodePool(world, "default");
  addPendingPod(world, "web-0");
  await world.provision();
  expect(world.living()).toHaveLength(1);
  for (let index = 1; index <= 20; index++) addPendingPod(world, `web-${index}`);
  await world.provision();
  expect(world.living()).toHaveLength(21);
});

conforms("prov | deleting NodePool | ignored", () => {
  const deleting = nodePool("default", { deletedAt: "2026-01-01T00:00:00Z" });
  const { plan } = solve({ pods: [pendingPod("p", little)], pools: [deleting] });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /being deleted/);
});

conforms("prov | no valid NodePool | pod marked unschedulable", () => {
  for (const pools of [[], [nodePool("invalid", { nodeClass: "missing" })]]) {
    const { plan } = solve({ pods: [pendingPod("p", little)], pools });
    expect(plan.nodeClaims).toHaveLength(0);
    expectUnschedulable(plan, ["p"], pools.length === 0 ? /no NodePool/ : /EC2NodeClass missing does not exist/);
  }
});

conforms("prov | GPU vendor resources | right types", () => {
  for (const [resource, type] of [
    ["nvidia.com/gpu", fake.gpuA],
    ["amd.com/gpu", fake.gpuB],
  ] as const) {
    const pod = (name: string) =>
      pendingPod(name, {
        spec: { containers: [{ resources: { requests: { [resource]: "1" }, limits: { [resource]: "1" } } }] },
      });
    const { nodes } = solve({ pods: [pod("one"), pod("two"), pod("three")] });
    expect(nodes.map((node) => node.type)).toEqual([type, type]);
  }
});

conforms("prov | maxPods-limited types | several nodes", () => {
  const pools = [nodePool("default", { requirements: [oneOf(label.instanceType, fake.singlePod)] })];
  expect(solve({ pods: pendingPods(3, "p", little), pools }).nodes.map(({ pods }) => pods.length)).toEqual([1, 1, 1]);
});

conforms("prov | claim's node already deleting, pods multiple | all planned onto one new node", () => {
  const first = solve({ pods: pendingPods(4, "p", little) });
  expect(first.nodes).toHaveLength(1);
  const deleting = carriedOut(first, "registered", {
    claim: (claim) => ({ ...claim, metadata: { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
  });
  const second = solve({ ...deleting, pods: [...(deleting.pods ?? []), pendingPod("p-4", little)] });
  expect(second.existing).toEqual({});
  expect(second.nodes.map(({ pods }) => pods)).toEqual([["p-0", "p-1", "p-2", "p-3", "p-4"]]);
});

/** Types a step above and below that of 11 CPUs and 5 GiB. */
const steps = catalogOf(
  Object.fromEntries(
    [
      [10, 4],
      [11, 4],
      [10, 5],
      [11, 5],
      [12, 6],
      [16, 8],
    ].map(([vcpus = 0, memoryGib = 0]) => [
      `s${vcpus}x${memoryGib}.large`,
      { vcpus, memoryGib, priceUsdPerHour: vcpus + memoryGib },
    ]),
  ),
);

const asking = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });
const sidecar = (cpu: string, memory: string) => ({ ...asking(cpu, memory), restartPolicy: "Always" });

conforms(
  "prov.sidecar | init first then sidecar; sidecar first with small init; sidecar first with big init (x3) | picks 11-CPU/5Gi type (KEP-753 maths)",
  () => {
    const cases = [
      // The init container is over when the sidecar starts: 6 + 4.9 CPUs, 2.2 + 2.3 GiB.
      { initContainers: [asking("10", "4Gi"), sidecar("4900m", "2300Mi")], containers: [asking("6", "2300Mi")] },
      // A small init container runs beside the sidecar and needs less than the app.
      { initContainers: [sidecar("4900m", "2300Mi"), asking("5", "2Gi")], containers: [asking("6", "2300Mi")] },
      // A big one needs more than the app.
      { initContainers: [sidecar("4900m", "2300Mi"), asking("6", "2300Mi")], containers: [asking("1", "1Gi")] },
    ];
    for (const spec of cases) {
      const { nodes } = solve({ pods: [pendingPod("p", { spec })], catalog: steps });
      expect(nodes.map(({ type }) => type)).toEqual(["s11x5.large"]);
    }
  },
);

conforms("prov.podlevel | pod-level resources set | sized by pod-level values (10 CPU/4Gi)", () => {
  const spec = {
    resources: { requests: { cpu: "10", memory: "4Gi" } },
    containers: [asking("1", "1Gi"), asking("2", "1Gi")],
  };
  const { nodes } = solve({ pods: [pendingPod("p", { spec })], catalog: steps });
  expect(nodes.map(({ type, object }) => [type, object.spec.resources?.requests])).toMatchObject([
    ["s10x4.large", { cpu: "10", memory: "4Gi" }],
  ]);
});

conforms("pools | pod selects karpenter.sh/nodepool | that pool", () => {
  const pools = [nodePool("one"), nodePool("two")];
  for (const pool of ["one", "two"]) {
    const pod = pendingPod("p", { ...little, spec: { nodeSelector: { [label.nodePool]: pool } } });
    expect(solve({ pods: [pod], pools }).nodes.map((node) => node.pool)).toEqual([pool]);
  }
});

conforms("pools | one pool PreferNoSchedule, other plain | plain pool", () => {
  const soft = { key: "dedicated", value: "x", effect: "PreferNoSchedule" } as const;
  for (const [tainted, plain] of [
    ["a", "b"],
    ["b", "a"],
  ] as const) {
    const pools = [nodePool(tainted, { taints: [soft] }), nodePool(plain)];
    expect(solve({ pods: [pendingPod("p", little)], pools }).nodes.map(({ pool }) => pool)).toEqual([plain]);
  }
});

conforms("pools.weight | pod selects light pool | light pool", () => {
  const pools = [nodePool("light", { weight: 1 }), nodePool("heavy", { weight: 100 })];
  const pod = pendingPod("p", { ...little, spec: { nodeSelector: { [label.nodePool]: "light" } } });
  expect(solve({ pods: [pod], pools }).nodes.map(({ pool }) => pool)).toEqual(["light"]);
  expect(solve({ pods: [pendingPod("p", little)], pools }).nodes.map(({ pool }) => pool)).toEqual(["heavy"]);
});

conforms("pools.static | only static pool | no claim from scheduler", () => {
  const { plan } = solve({ pods: [pendingPod("p", little)], pools: [nodePool("static", { replicas: 1 })] });
  expect(plan.nodeClaims).toHaveLength(0);
  expectUnschedulable(plan, ["p"], /static/);
});

conforms("pools.static | static + dynamic | dynamic used", () => {
  const pools = [nodePool("a-static", { replicas: 1 }), nodePool("dynamic")];
  expect(solve({ pods: [pendingPod("p", little)], pools }).nodes.map(({ pool }) => pool)).toEqual(["dynamic"]);
});
