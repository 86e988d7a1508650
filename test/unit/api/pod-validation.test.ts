import { describe, expect, it } from "vitest";
import { pod } from "../../../shared/api/core.ts";
import { problemsOf } from "../../support/api-manifests.ts";

const podWith = (spec: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: [{}], ...spec },
});
const container = (fields: object) => ({ containers: [fields] });
const resources = (requests: object, limits: object = {}) => container({ resources: { requests, limits } });
const port = (fields: object) => container({ ports: [fields] });
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const spread = { maxSkew: 1, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" };

describe("a pod that an API server would refuse", () => {
  it.each([
    [{ containers: [] }, "spec.containers: found [], expected at least one container"],
    [
      resources({ cpu: "2" }, { cpu: "1500m" }),
      'spec.containers[0].resources.requests.cpu: found "2", expected at most the limit, 1500m',
    ],
    [{ resources: { requests: { memory: "2Gi" }, limits: { memory: "2G" } } }, "spec.resources.requests.memory"],
    [{ initContainers: [{ resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } }] }, "spec.initContainers[0]"],
    [
      resources({ "nvidia.com/gpu": "0.5" }),
      'requests["nvidia.com/gpu"]: found "0.5", expected a whole number, as it is an extended resource',
    ],
    [resources({}, { "nvidia.com/gpu": "500m" }), 'limits["nvidia.com/gpu"]'],
    [port({ containerPort: 80, hostPort: 70_000 }), "hostPort: found 70000, expected a port from 1 to 65535"],
    [port({ containerPort: 80, hostPort: -1 }), "hostPort: found -1"],
    [port({ containerPort: 0 }), "containerPort: found 0"],
    [
      { ...port({ containerPort: 80, hostPort: 8080 }), hostNetwork: true },
      "hostPort: found 8080, expected the containerPort 80, as hostNetwork is true",
    ],
    [
      { affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [] } } } },
      `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms: found [], expected at least one term`,
    ],
    [
      { affinity: { podAffinity: { [required]: [{ topologyKey: "" }] } } },
      `podAffinity.${required}[0].topologyKey: found "", expected the key of a node label`,
    ],
    [
      { affinity: { podAntiAffinity: { [preferred]: [{ weight: 1, podAffinityTerm: { topologyKey: "" } }] } } },
      `podAntiAffinity.${preferred}[0].podAffinityTerm.topologyKey`,
    ],
    [{ topologySpreadConstraints: [spread] }, 'spec.topologySpreadConstraints[0].topologyKey: found ""'],
    [
      {
        topologySpreadConstraints: [
          { ...spread, topologyKey: "z" },
          { ...spread, topologyKey: "z", maxSkew: 2 },
        ],
      },
      "spec.topologySpreadConstraints[1]: found",
    ],
  ])("%j has one problem", (spec, expected) => {
    expect(problemsOf(podWith(spec))).toEqual([expect.stringContaining(expected)]);
  });

  it("is still read from a cluster, where it must not drop out of sight", () => {
    expect(pod.safeParse(podWith(resources({ cpu: "2" }, { cpu: "1" }))).success).toBe(true);
  });

  it.each([
    ["Deployment", "apps/v1", { template: { spec: { containers: [] } } }, "spec.template.spec.containers"],
    ["Job", "batch/v1", { template: { spec: { containers: [] } } }, "spec.template.spec.containers"],
    [
      "CronJob",
      "batch/v1",
      { schedule: "@daily", jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
      "spec.jobTemplate.spec.template.spec.containers",
    ],
  ])("is also found in a %s", (kind, apiVersion, spec, path) => {
    expect(problemsOf({ apiVersion, kind, metadata: { name: "a" }, spec })[0]).toContain(`${path}: found []`);
  });
});

describe("a pod that an API server would take", () => {
  it.each([
    resources({ cpu: "0.5", memory: "1Gi" }, { cpu: 1, memory: "1024Mi" }),
    resources({ "nvidia.com/gpu": "1" }, { "nvidia.com/gpu": 1 }),
    port({ containerPort: 80, hostPort: 0 }),
    { ...port({ containerPort: 80, hostPort: 80 }), hostNetwork: true },
  ])("%j has no problem", (spec) => {
    expect(problemsOf(podWith(spec))).toEqual([]);
  });
});
