import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ec2NodeClass } from "../shared/api/ec2-node-class.ts";
import { type NodePool, nodePool } from "../shared/api/node-pool.ts";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import type { CapacityType } from "../shared/ports.ts";
import { planProvisioning } from "../shared/provisioning/scheduler.ts";
import { PodDecoder } from "../shared/state/pod-decoding.ts";
import { defaultSettings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { pendingPods, type WorkloadName, workloadNames } from "./workloads.ts";

/**
 * What packing costs: the plan's price over its lower bound, and the time it takes. Prices follow from the seed; times are those of
 * this machine. `--smoke` does the smallest size alone, `--seed N` draws other pods.
 */
interface Result {
  readonly workload: WorkloadName;
  readonly market: CapacityType;
  readonly pods: number;
  readonly nodes: number;
  readonly unplaced: number;
  readonly priceUsdPerHour: number;
  /** The part of the price that keeps spot nodes out of one basket. */
  readonly spotSpreadUsdPerHour: number;
  readonly lowerBoundUsdPerHour: number;
  readonly priceOverBound: number;
  readonly milliseconds: number;
}

const { values: options } = parseArgs({
  options: { smoke: { type: "boolean", default: false }, seed: { type: "string", default: "1" } },
});
const seed = Number(options.seed);
const sizes = options.smoke ? [10] : [10, 50, 200, 1000];
const markets: readonly CapacityType[] = ["on-demand", "spot"];
const runs = options.smoke ? 1 : 3;

// Without this the first line would measure the compiler.
measure("mixed", "on-demand", 10);

const results: Result[] = [];
console.log(line("workload", "market", "pods", "nodes", "USD/h", "spread", "bound", "ratio", "ms"));
for (const workload of workloadNames) {
  for (const market of markets) {
    for (const pods of sizes) {
      const result = measure(workload, market, pods);
      results.push(result);
      const { nodes, priceUsdPerHour, spotSpreadUsdPerHour, lowerBoundUsdPerHour, priceOverBound } = result;
      const money = [priceUsdPerHour, spotSpreadUsdPerHour, lowerBoundUsdPerHour, priceOverBound];
      console.log(
        line(workload, market, pods, nodes, ...money.map((usd) => usd.toFixed(3)), result.milliseconds.toFixed(1)),
      );
    }
  }
}
writeResults();
const unplaced = results.reduce((sum, result) => sum + result.unplaced, 0);
if (unplaced > 0) {
  console.error(`${unplaced} pods found no node, though each fits the pool`);
  process.exitCode = 1;
}

function measure(workload: WorkloadName, market: CapacityType, pods: number): Result {
  const snapshot = pendingWorld(workload, market, pods);
  const times: number[] = [];
  let plan = planProvisioning(snapshot);
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    plan = planProvisioning(snapshot);
    times.push(performance.now() - startedAt);
  }
  const { priceUsdPerHour, spotSpreadUsdPerHour, lowerBoundUsdPerHour } = plan;
  return {
    workload,
    market,
    pods,
    nodes: plan.nodeClaims.length,
    unplaced: plan.unschedulable.length,
    priceUsdPerHour,
    spotSpreadUsdPerHour,
    lowerBoundUsdPerHour,
    priceOverBound: priceUsdPerHour / lowerBoundUsdPerHour,
    milliseconds: times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0,
  };
}

/** A cluster with pending pods, the general-purpose pool of Karpenter's examples, and nothing else. */
function pendingWorld(workload: WorkloadName, market: CapacityType, pods: number): Snapshot {
  const decoder = new PodDecoder();
  return {
    now: Date.UTC(2026, 0),
    settings: defaultSettings,
    pods: pendingPods(workload, pods, seed).map((pod) => decoder.decode(pod)),
    nodes: [],
    nodeClaims: [],
    nodePools: [generalPurpose(market)],
    nodeClasses: [
      ec2NodeClass.parse({
        apiVersion: "karpenter.k8s.aws/v1",
        kind: "EC2NodeClass",
        metadata: { name: "default" },
        spec: {
          role: "node",
          amiSelectorTerms: [{ alias: "al2023@latest" }],
          subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "bench" } }],
          securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "bench" } }],
        },
      }),
    ],
    daemonSets: [],
    podDisruptionBudgets: [],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    csiNodes: [],
    capacityBuffers: [],
    namespaces: new Map([["bench", {}]]),
    catalog: embeddedCatalog(),
    nodeOverlays: [],
    unavailableOfferings: [],
  };
}

function generalPurpose(market: CapacityType): NodePool {
  const requirements = [
    { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
    { key: "karpenter.sh/capacity-type", operator: "In", values: [market] },
    { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
    { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["2"] },
  ];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  return nodePool.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "general-purpose" },
    spec: { template: { spec: { nodeClassRef, requirements } } },
  });
}

function writeResults(): void {
  const folder = fileURLToPath(new URL("results/", import.meta.url));
  const machine = {
    node: process.version,
    arch: process.arch,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
  };
  mkdirSync(folder, { recursive: true });
  const file = `${folder}packing${options.smoke ? "-smoke" : ""}.json`;
  writeFileSync(file, `${JSON.stringify({ seed, machine, results }, undefined, 2)}\n`);
}

function line(workload: string, market: string, ...cells: readonly (string | number)[]): string {
  return `${workload.padEnd(14)}${market.padEnd(10)}${cells.map((cell) => String(cell).padStart(10)).join("")}`;
}
