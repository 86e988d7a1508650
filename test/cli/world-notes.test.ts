import { describe, expect, it } from "vitest";
import type { RawObject } from "../../shared/api/raw-objects.ts";
import { nodeClassManifest, nodePoolManifest } from "../support/api-manifests.ts";
import { fileOf, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { planText } from "../support/command-line.ts";

async function notesOf(manifests: readonly RawObject[], scale: readonly string[] = []): Promise<readonly string[]> {
  return (await planText(fileOf(...manifests), { scale })).notes;
}

const withPool = (...manifests: readonly RawObject[]) => [...poolManifests(), ...manifests];

describe("the notes of a plan", () => {
  it("name what keeps a class's nodes from being launched yet", async () => {
    const bottlerocket = nodeClassManifest(
      ["spec.amiSelectorTerms", [{ alias: "bottlerocket@latest" }]],
      ["spec.cpuOptions", { nestedVirtualization: "enabled" }],
    );
    expect(await notesOf([nodePoolManifest(), bottlerocket])).toEqual([
      "note: EC2NodeClass default: its nodes are planned but not launched yet, because of amiFamily Bottlerocket, cpuOptions",
    ]);
    expect(await notesOf(withPool())).toEqual([]);
  });

  it("say that prices of Windows are those of Linux", async () => {
    const windows = nodeClassManifest(["spec.amiSelectorTerms", [{ alias: "windows2022@latest" }]]);
    expect(await notesOf([nodePoolManifest(), windows])).toContain(
      "note: EC2NodeClass default: prices are those of Linux, without the Windows licence",
    );
  });

  it("name workloads without replicas, unless --scale says so", async () => {
    const manifests = withPool(workloadManifest("Deployment", "gpu", { replicas: 0 }));
    expect(await notesOf(manifests)).toEqual(["note: Deployment default/gpu has 0 replicas; see --scale"]);
    expect(await notesOf(manifests, ["deployment/gpu=0"])).toEqual([]);
  });

  it("count pods that request nothing", async () => {
    const gpu = { containers: [{ name: "app", resources: { limits: { "nvidia.com/gpu": "1" } } }] };
    const idle = ["a", "b"].map((name) => podManifest(name, {}, { containers: [{ name: "app" }] }));
    expect(await notesOf(withPool(...idle, podManifest("c", {}, gpu)))).toEqual([
      "note: 2 pods request no CPU or memory: they count only against a node's number of pods",
    ]);
  });
});
