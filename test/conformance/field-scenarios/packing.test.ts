import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import { type RankedOffering, rankOfferings } from "../../../shared/cloud/ranking.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, fake, type Solved, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectAllPlaced, expectNodes, expectTypes } from "../../support/plans.ts";
import { awayFrom, hostnameSpread, pendingPod, pendingPods } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";
import { boundClaim, podWithClaims, volumeOf } from "../../support/volumes.ts";

/** As many of these nodes as pods: each takes most of a node of 4 cpus, and no larger node may be taken. */
const onePerNode = { cpu: "3", memory: "100Mi", spec: { nodeSelector: { [label.arch]: "amd64" } } };

conforms(
  "B2.01 Same pending burst seen again between node registered and pods bound -> surplus claims; sequential arrival is fine -> pods stay nominated to claim until bound or timeout. [KS#3121]",
  () => {
    const burst = pendingPods(12, "burst", onePerNode);
    const first = solve({ pods: burst });
    expect(first.nodes).toHaveLength(12);
    for (const stage of ["written", "launched", "registered", "initialized"] as const) {
      const stillPending = { ...carriedOut(first, stage), pods: burst };
      expect(solve(stillPending).nodes, stage).toEqual([]);
      // Those that come later get what they need, and no more.
      const later = pendingPods(2, "later", onePerNode);
      expect(solve({ ...stillPending, pods: [...burst, ...later] }).nodes.map(({ pods }) => pods)).toEqual([
        ["later-0"],
        ["later-1"],
      ]);
    }
    // Claims that have taken too long are deleted: their pods are pending again.
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const timedOut = carriedOut(first, "launched", {
      claim: (claim) => ({ ...claim, metadata: { ...claim.metadata, deletionTimestamp } }),
    });
    expect(solve({ ...timedOut, pods: burst }).nodes).toHaveLength(12);
  },
);

conforms("B2.04 4 PVC pods that share one zone and fit one node -> 4 nodes -> 1. [KA#1146]", () => {
  const names = ["data-0", "data-1", "data-2", "data-3"];
  const plan = planFor({
    pods: names.map((name, index) => podWithClaims(`db-${index}`, [name], { cpu: "1" })),
    persistentVolumeClaims: names.map((name) => boundClaim(name)),
    persistentVolumes: names.map((name) => volumeOf(name, ["b"])),
  });
  expectAllPlaced(plan);
  expectNodes(plan, "m5.xlarge in b: db-0 db-1 db-2 db-3");
});

conforms(
  "B2.05 2 pods x 1 A10G: one g5.12xlarge (4 GPU) chosen over 2 x g5.2xlarge; ~$2,338/month worse -> compare multi-node split on price. [KS#1149]",
  () => {
    const catalog = catalogOf({
      "g5.2xlarge": { vcpus: 8, memoryGib: 32, priceUsdPerHour: 1.212, gpus: 1 },
      "g5.12xlarge": { vcpus: 48, memoryGib: 192, priceUsdPerHour: 5.672, gpus: 4 },
    });
    const requests = { cpu: "6", "nvidia.com/gpu": "1" };
    const pods = (count: number) =>
      pendingPods(count, "train", { spec: { containers: [{ resources: { requests } }] } });
    expectTypes(planFor({ catalog, pods: pods(2) }), "g5.2xlarge", "g5.2xlarge");
    // Where four small ones cost more than the large one, it is the large one.
    const dear = catalogOf({
      "g5.2xlarge": { vcpus: 8, memoryGib: 32, priceUsdPerHour: 1.5, gpus: 1 },
      "g5.12xlarge": { vcpus: 48, memoryGib: 192, priceUsdPerHour: 5.672, gpus: 4 },
    });
    expectTypes(planFor({ catalog: dear, pods: pods(4) }), "g5.12xlarge");
  },
);

conforms(
  "B2.06 13 anti-affine pods 10 cpu/53Gi: got 4 r5n.4xl+5 r5n.8xl+1 c5n.9xl+2 r5n.12xl (420 cores, $14.05/h) vs ~208 cores ~$9/h -> each node's type list is pruned to its own pods' need. [KA#3044]",
  () => {
    const catalog = embeddedCatalog("us-east-1");
    const requirements = [
      oneOf("karpenter.k8s.aws/instance-category", "c", "m", "r"),
      oneOf("kubernetes.io/arch", "amd64"),
      oneOf("karpenter.sh/capacity-type", "on-demand"),
    ];
    const pods = pendingPods(13, "db", { cpu: "10", memory: "53Gi", spec: awayFrom("db") });
    const plan = planFor({ catalog, pods, pools: [nodePool("default", { requirements })] });
    expectAllPlaced(plan);
    expect(plan.nodeClaims.map((claim) => claim.pods.length)).toEqual(Array.from({ length: 13 }, () => 1));
    const vcpus = new Map(catalog.types.map((type) => [type.name, type.vcpus]));
    const cores = plan.nodeClaims.reduce((sum, { offerings: [best] }) => sum + (vcpus.get(best.instanceType) ?? 0), 0);
    expect(cores).toBeLessThanOrEqual(208);
    expect(plan.priceUsdPerHour).toBeLessThan(9);
    // The others on each list are what would hold its pod next cheapest, not whatever a fuller node would need.
    for (const { offerings } of plan.nodeClaims) {
      const [best, ...others] = offerings.slice(0, 5);
      for (const { priceUsdPerHour } of others)
        expect(priceUsdPerHour).toBeLessThan(1.3 * (best?.priceUsdPerHour ?? 0));
    }
  },
);

conforms(
  "B2.07 Spot r4.xlarge $0.1593 taken though r5.xlarge $0.1070 fits -> bound price ratio to cheapest (e.g. 1.2x) before capacity ranking. [KS#2137]",
  () => {
    const catalog = catalogOf({
      "r4.xlarge": { vcpus: 4, memoryGib: 30, priceUsdPerHour: 0.266, spot: { a: 0.1593 } },
      "r5.xlarge": { vcpus: 4, memoryGib: 32, priceUsdPerHour: 0.252, spot: { b: 0.107 } },
    });
    const spot = [nodePool("default", { requirements: [oneOf("karpenter.sh/capacity-type", "spot")] })];
    expectTypes(
      planFor({ catalog, pools: spot, pods: [pendingPod("web", { cpu: "3", memory: "20Gi" })] }),
      "r5.xlarge",
    );
    // The best zone of all and a history of reclaims move it by a fifth, and no further.
    const offering = (instanceType: string, zone: string, priceUsdPerHour: number): RankedOffering => ({
      ...{ instanceType, zone, priceUsdPerHour, capacityType: "spot" },
    });
    const cheap = offering("r5.xlarge", "b", 0.107);
    const order = (other: RankedOffering) =>
      rankOfferings([other, cheap], {
        scores: new Map([
          ["a", 10],
          ["b", 1],
        ]),
        reclaimsPerHour: new Map([["r5.xlarge/b/spot", 5]]),
      }).map(({ instanceType }) => instanceType);
    expect(order(offering("r4.xlarge", "a", 0.1593))).toEqual(["r5.xlarge", "r4.xlarge"]);
    expect(order(offering("r4.xlarge", "a", 0.12))).toEqual(["r4.xlarge", "r5.xlarge"]);
  },
);

/** A NodePool of nodes of 4 cpus alone. */
const limitedPool = (nodes: string) =>
  nodePool("default", { limits: { nodes }, requirements: [oneOf("node.kubernetes.io/instance-type", fake.standard)] });

/** Plans wave after wave of pods, one a node, before any claim is launched; how many nodes each wave got. */
function waves(nodes: string, counts: readonly number[]): readonly number[] {
  let solved: Solved | undefined;
  return counts.map((count, wave) => {
    const pods = pendingPods(count, `wave-${wave}`, onePerNode);
    const pools = [limitedPool(nodes)];
    solved = solve(solved === undefined ? { pods, pools } : carriedOut(solved, "written", { pods }));
    return solved.nodes.length;
  });
}

conforms(
  "B2.11 limits.nodes 608: one pass makes 101, then 101, 60, 44 -> 627 -> decrement within the pass and reserve atomically (conditional write). [KS#2915]",
  () => {
    expect(waves("608", [321, 101, 101, 60, 44])).toEqual([321, 101, 101, 60, 25]);
  },
);

conforms("B2.12 limit 3 nodes; scale-up of 5 in one pass -> >3 -> exactly 3. [KS#2657]", () => {
  expect(waves("3", [5])).toEqual([3]);
  const { unscheduled, plan } = solve({ pods: pendingPods(5, "web", onePerNode), pools: [limitedPool("3")] });
  expect(unscheduled).toHaveLength(2);
  for (const { reasons } of plan.unschedulable) expect(reasons[0]?.reason).toMatch(/limit/);
});

conforms(
  "B2.22 2 x c6a.2xlarge $0.6984 total vs 1 x c6a.4xlarge same price -> tie-break: fewer nodes, unless spread asks more. [KA#5903, KS#1161]",
  () => {
    const catalog = catalogOf({
      "c6a.2xlarge": { vcpus: 8, memoryGib: 16, priceUsdPerHour: 0.3492 },
      "c6a.4xlarge": { vcpus: 16, memoryGib: 32, priceUsdPerHour: 0.6984 },
    });
    // Without what a node costs by itself, so that it is a tie.
    const settings = { volumePriceFactor: 0, vmMemoryOverheadPercent: 0 };
    const pods = (spec = {}) => pendingPods(2, "web", { cpu: "7", memory: "10Gi", spec });
    expectTypes(planFor({ catalog, settings, pods: pods() }), "c6a.4xlarge");
    expectTypes(planFor({ catalog, settings, pods: pods(hostnameSpread("web")) }), "c6a.2xlarge", "c6a.2xlarge");
  },
);
