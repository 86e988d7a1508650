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
  it("name what a class says and no node is told", async () => {
    const bottlerocket = nodeClassManifest(
      ["spec.amiSelectorTerms", [{ alias: "bottlerocket@latest" }]],
      ["spec.userData", "[settings.kubernetes]\nlog-level = 3\nmade-up = 1\n"],
      ["spec.context", "arn:context"],
    );
    expect(await notesOf([nodePoolManifest(), bottlerocket])).toEqual([
      "note: EC2NodeClass default: spec.context is ignored: RunInstances has no such field, CreateFleet alone has it",
      "note: EC2NodeClass default: spec.userData: settings.kubernetes.made-up is left out, Bottlerocket has no such setting",
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

  it("name a NodeOverlay that is rejected, and why", async () => {
    const overlay = (name: string) => ({
      apiVersion: "karpenter.sh/v1alpha1",
      kind: "NodeOverlay",
      metadata: { name },
      spec: { requirements: [], price: "0.01" },
    });
    expect(await notesOf(withPool(overlay("a"), overlay("b"), podManifest("p")))).toEqual([
      expect.stringMatching(
        /^note: NodeOverlay a has no effect: NodeOverlay b of the same weight, 0, also sets the price/,
      ),
    ]);
  });

  it("name workloads whose pods a LimitRange would keep out, not those that a cluster has let in", async () => {
    const limits = {
      apiVersion: "v1",
      kind: "LimitRange",
      metadata: { name: "small" },
      spec: { limits: [{ type: "Container", max: { cpu: "100m" } }] },
    };
    const web = workloadManifest("Deployment", "web", { replicas: 2 });
    const idle = podManifest("idle", {}, { containers: [{ name: "app" }] });
    expect(await notesOf(withPool(limits, web, idle, podManifest("old", { uid: "old" })))).toEqual([
      "note: Deployment default/web: an API server would refuse it: requests.cpu of container app is 500m, above the max 100m of LimitRange small",
    ]);
  });

  it("count pods that request nothing", async () => {
    const gpu = { containers: [{ name: "app", resources: { limits: { "nvidia.com/gpu": "1" } } }] };
    const idle = ["a", "b"].map((name) => podManifest(name, {}, { containers: [{ name: "app" }] }));
    expect(await notesOf(withPool(...idle, podManifest("c", {}, gpu)))).toEqual([
      "note: 2 pods request no CPU or memory: they count only against a node's number of pods",
    ]);
  });
});
