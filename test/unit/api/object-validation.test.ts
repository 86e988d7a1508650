import { describe, expect, it } from "vitest";
import type { RawObject } from "../../../shared/api/raw-objects.ts";
import { problemsOf } from "../../support/api-manifests.ts";

const accessModes = "expected one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod";
const template = { spec: { containers: [{}] } };

function manifest(apiVersion: string, kind: string, spec: RawObject): RawObject {
  return { apiVersion, kind, metadata: { name: "a" }, spec };
}

function limits(...entries: readonly RawObject[]): RawObject {
  return manifest("v1", "LimitRange", { limits: entries });
}

function overlay(spec: RawObject): RawObject {
  return manifest("karpenter.sh/v1alpha1", "NodeOverlay", { requirements: [], ...spec });
}

describe("an object that an API server would refuse", () => {
  it.each([
    [
      manifest("v1", "PersistentVolumeClaim", { accessModes: ["Foo"] }),
      `spec.accessModes[0]: found "Foo", ${accessModes}`,
    ],
    [
      manifest("v1", "PersistentVolumeClaim", { resources: { requests: { storage: "big" } } }),
      'spec.resources.requests.storage: found "big", expected a non-negative quantity',
    ],
    [
      manifest("apps/v1", "StatefulSet", {
        template,
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["RWO"] } }],
      }),
      `spec.volumeClaimTemplates[0].spec.accessModes[0]: found "RWO", ${accessModes}`,
    ],
    [
      manifest("storage.k8s.io/v1", "CSINode", { drivers: [{ name: "e", nodeID: "i", allocatable: { count: -4 } }] }),
      "allocatable.count: found -4, expected at least 0",
    ],
    [
      limits({ type: "Foo" }),
      'spec.limits[0].type: found "Foo", expected one of Container, Pod, PersistentVolumeClaim',
    ],
    [
      limits({ type: "Pod" }, { type: "Container", defaultRequest: { cpu: "2" }, max: { cpu: "1500m" } }),
      'spec.limits[1].defaultRequest.cpu: found "2", expected at most its max, 1500m',
    ],
    [limits({ type: "Pod", min: { cpu: "2" }, max: { cpu: "1" } }), "spec.limits[0].min.cpu"],
    [overlay({ price: "9".repeat(400) }), "expected a number of at most 1000000000"],
    [overlay({ priceAdjustment: `-${"9".repeat(400)}` }), "spec.priceAdjustment: found"],
  ])("is a problem (%#)", (object, problem) => {
    expect(problemsOf(object)).toEqual([expect.stringContaining(problem)]);
  });

  it("is told with all that is wrong at once, beside what its types rule out", () => {
    const spread = { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" };
    const container = { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } };
    const spec = { containers: [container], topologySpreadConstraints: [spread], tolerations: ["all"] };
    expect(problemsOf(manifest("v1", "Pod", spec))).toEqual([
      expect.stringContaining('tolerations[0]: found "all"'),
      expect.stringContaining("topologySpreadConstraints[0].maxSkew: found 0"),
      expect.stringContaining('topologySpreadConstraints[0].topologyKey: found ""'),
      expect.stringContaining("containers[0].resources.requests.cpu"),
    ]);
  });

  it("is not told of what only a refused part would have brought", () => {
    const buffer = manifest("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", { podTemplateRef: "spare", replicas: 1 });
    expect(problemsOf(buffer)).toEqual([expect.stringContaining('spec.podTemplateRef: found "spare"')]);
  });
});

it("LimitRanges and overlays within bounds are taken", () => {
  const item = { type: "Container", min: { cpu: "1" }, defaultRequest: { cpu: "1" }, max: { cpu: "1" } };
  expect(problemsOf(limits(item, { type: "example.com/pod" }))).toEqual([]);
  expect(problemsOf(overlay({ price: "999999999" }))).toEqual([]);
});
