import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PlanReport } from "../../cli/report/plan-json.ts";
import { readDocuments } from "../../shared/api/documents.ts";
import { checkReferences } from "../../shared/api/references.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { nodeClassManifest, nodePoolManifest } from "../support/api-manifests.ts";
import { fileOf } from "../support/cli-manifests.ts";
import { planOf } from "../support/command-line.ts";
import { goldenDataFolder, hasGoldenData } from "../support/golden-data.ts";

if (!hasGoldenData) console.warn(`published manifests are not compared: there is no ${goldenDataFolder}`);

const read = (path: string) => readFileSync(`${goldenDataFolder}/manifests/${path}`, "utf8");
const list = (folder: string) => (hasGoldenData ? readdirSync(`${goldenDataFolder}/manifests/${folder}`) : []);
const scaledTo = 25;

/** A published workload with 25 pods, on the "large instances" example or on a pool of the test's own. */
function planWorkload(file: string, pool = read("karpenter-examples/large-instances.yaml")): Promise<PlanReport> {
  const text = read(`workloads/${file}`);
  const deployment = /kind: Deployment\nmetadata:\n {2}name: (\S+)/.exec(text)?.[1];
  return planOf(`${pool}\n---\n${text}`, { scale: [`deployment/${deployment}=${scaledTo}`] });
}

const types = new Map(embeddedCatalog().types.map((facts) => [facts.name, facts]));
const factsOf = (claim: PlanReport["nodeClaims"][number]) => types.get(claim.instanceType);

function expectAllPlaced({ totals, unschedulable }: PlanReport): void {
  expect(unschedulable).toEqual([]);
  expect(totals.scheduled).toBe(scaledTo);
}

describe.skipIf(!hasGoldenData)("Karpenter's example manifests", () => {
  it.each(list("karpenter-examples"))("%s can be read on its own", (file) => {
    const { objects, problems } = readDocuments([{ name: file, text: read(`karpenter-examples/${file}`) }]);
    expect([...problems, ...checkReferences(objects).problems]).toEqual([]);
    expect(objects.map(({ kind }) => kind)).toContain("NodePool");
  });

  it("give the online boutique the cheapest node that holds its 12 pods: one c6a.large", async () => {
    const pool = read("karpenter-examples/general-purpose.yaml");
    const { nodeClaims, totals } = await planOf(`${pool}\n---\n${read("workloads/online-boutique.yaml")}`);
    expect(nodeClaims.map(({ instanceType, pods }) => [instanceType, pods.length])).toEqual([["c6a.large", 12]]);
    expect(totals).toMatchObject({ pods: 12, scheduled: 12, nodes: 1, priceUsdPerHour: 0.0765 });
  });
});

describe.skipIf(!hasGoldenData)("published workloads of 25 pods on large instances", () => {
  it("are all looked at", () => {
    expect(list("workloads").sort()).toEqual([
      "arm64.yaml",
      "disruption-budget.yaml",
      "gpu-amd.yaml",
      "gpu-nvidia.yaml",
      "inflate.yaml",
      "online-boutique.yaml",
      "spot.yaml",
      "spread-hostname.yaml",
      "spread-zone.yaml",
    ]);
  });

  it.each(["inflate.yaml", "disruption-budget.yaml"])("%s gets nodes of at least 4 vCPU and 8 GiB", async (file) => {
    const report = await planWorkload(file);
    expectAllPlaced(report);
    for (const claim of report.nodeClaims) {
      expect(factsOf(claim)?.vcpus).toBeGreaterThanOrEqual(4);
      expect(factsOf(claim)?.memoryMib).toBeGreaterThanOrEqual(8192);
    }
  });

  it("the online boutique scales each of its services", async () => {
    const text = read("workloads/online-boutique.yaml");
    const names = [...text.matchAll(/kind: Deployment\nmetadata:\n {2}name: (\S+)/g)].map(([, name]) => name);
    const scale = names.map((name) => `deployment/${name}=${scaledTo}`);
    const { totals } = await planOf(`${read("karpenter-examples/large-instances.yaml")}\n---\n${text}`, { scale });
    expect(totals).toMatchObject({ pods: 12 * scaledTo, scheduled: 12 * scaledTo });
  });

  it("arm64 gets arm64, also where a NodePool leaves the choice", async () => {
    const report = await planWorkload("arm64.yaml");
    expectAllPlaced(report);
    expect(new Set(report.nodeClaims.map((claim) => factsOf(claim)?.arch))).toEqual(new Set(["arm64"]));
  });

  it("spot gets spot", async () => {
    const report = await planWorkload("spot.yaml");
    expectAllPlaced(report);
    expect(new Set(report.nodeClaims.map(({ capacityType }) => capacityType))).toEqual(new Set(["spot"]));
  });

  it("spread over hosts with a skew of 2 has at most 2 pods on each of 13 nodes", async () => {
    const report = await planWorkload("spread-hostname.yaml");
    expectAllPlaced(report);
    expect(report.nodeClaims).toHaveLength(13);
    for (const { pods } of report.nodeClaims) expect(pods.length).toBeLessThanOrEqual(2);
  });

  it("spread over zones with a skew of 1 differs by at most one pod between all zones", async () => {
    const report = await planWorkload("spread-zone.yaml");
    expectAllPlaced(report);
    const perZone = embeddedCatalog().zones.map((zone) =>
      report.nodeClaims.reduce((sum, claim) => sum + (claim.zone === zone ? claim.pods.length : 0), 0),
    );
    expect(Math.max(...perZone) - Math.min(...perZone)).toBeLessThanOrEqual(1);
  });

  it.each([
    ["gpu-nvidia.yaml", "nvidia.com/gpu"],
    ["gpu-amd.yaml", "amd.com/gpu"],
  ])("%s gets a GPU for each pod", async (file, resource) => {
    const report = await planWorkload(file, fileOf(gpuPool, nodeClassManifest()));
    expectAllPlaced(report);
    for (const claim of report.nodeClaims) {
      expect(factsOf(claim)?.devices[resource]).toBeGreaterThanOrEqual(claim.pods.length);
      expect(claim.requests[resource]).toBe(String(claim.pods.length));
    }
  });
});

/** On demand, of any type: the examples are about other things than GPUs. */
const gpuPool = nodePoolManifest([
  "spec.template.spec.requirements",
  [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] }],
]);
