import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { builtKarpenter, runKarpenter } from "../../bench/karpenter-program.ts";
import { schedulingInput } from "../../bench/scheduling-input.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import { catalogOf } from "../support/catalog.ts";
import { daemonSetNamed } from "../support/cluster-objects.ts";
import { nodePool, oneOf } from "../support/node-pools.ts";
import { hostnameSpread, pendingPod, pendingPods } from "../support/pods.ts";
import { snapshotWith, type World } from "../support/snapshot.ts";

const hasGo = spawnSync("go", ["version"]).status === 0;
const minutes = 60_000;

/** Worlds whose answer leaves no choice: both must give it, or the benchmark's two sides do not plan the same world. Skipped without Go. */
describe.skipIf(!hasGo)("Karpenter's scheduler on the input of our planner", () => {
  let program: string;
  beforeAll(() => {
    program = builtKarpenter();
  }, 15 * minutes);

  function both(world: World) {
    const snapshot = snapshotWith({
      catalog: catalogOf({
        "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { b: 0.03 } },
        "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2 },
      }),
      pools: [nodePool("default", { requirements: [oneOf("karpenter.sh/capacity-type", "on-demand")] })],
      ...world,
    });
    const plan = planProvisioning(snapshot);
    const ours = [plan.priceUsdPerHour, plan.nodeClaims.length, plan.unschedulable.length];
    const report = runKarpenter(program, schedulingInput(snapshot, { runs: 2, workers: 1 }));
    return { ours, karpenter: [report.priceUsdPerHour, report.nodes, report.unplaced.length] };
  }

  it.each([
    ["fills a type to the last byte", { memory: "8Gi" }, 0.1],
    ["needs the next type for one byte more", { memory: "8589934593" }, 0.2],
    ["needs the next type for one CPU thousandth more", { cpu: "2001m" }, 0.2],
  ] as const)("%s", (_, requests, priceUsdPerHour) => {
    const { ours, karpenter } = both({ pods: [pendingPod("web", requests)] });
    expect([ours, karpenter]).toEqual(Array(2).fill([priceUsdPerHour, 1, 0]));
  });

  it("buys spot where the NodePool admits it, in the zone that has it", () => {
    const { ours, karpenter } = both({ pools: [nodePool()], pods: [pendingPod("web")] });
    expect([ours, karpenter]).toEqual(Array(2).fill([0.03, 1, 0]));
  });

  it("counts what DaemonSets take of a node", () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "100m" })];
    const { ours, karpenter } = both({ daemonSets, pods: [pendingPod("web", { cpu: "1950m" })] });
    expect([ours, karpenter]).toEqual(Array(2).fill([0.2, 1, 0]));
  });

  it("keeps the pods of a spread on nodes of their own", () => {
    const { ours, karpenter } = both({ pods: pendingPods(3, "web", { cpu: "2", spec: hostnameSpread("web") }) });
    expect(ours).toEqual([expect.closeTo(0.3, 9), 3, 0]);
    expect(karpenter).toEqual(ours);
  });

  it("leaves out a pod that asks for a label no type has", () => {
    const spec = { nodeSelector: { "karpenter.k8s.aws/instance-family": "c5" } };
    const { ours, karpenter } = both({ pods: [pendingPod("web"), pendingPod("other", { spec })] });
    expect([ours, karpenter]).toEqual(Array(2).fill([0.1, 1, 1]));
  });
});
