import { describe, expect, it } from "vitest";
import { scenarioFile, stepSchemas } from "../../../shared/simulator/scenario.ts";
import { defaultSettings } from "../../../shared/state/settings.ts";

const issuesOf = (settings: object) =>
  scenarioFile
    .safeParse({ name: "test", durationSeconds: 60, settings })
    .error?.issues.map(({ path }) => path.at(-1)) ?? [];

describe("the settings of a scenario", () => {
  it.each([
    "batchIdleMilliseconds",
    "batchMaxMilliseconds",
    "maxNodes",
    "maxLaunchesPerTenMinutes",
    "launchTimeoutSeconds",
    "registrationTimeoutSeconds",
    "initializationTimeoutSeconds",
  ])("have a whole number of at least one for %s", (field) => {
    for (const value of [1e-300, 0, -1, 1.5]) expect(issuesOf({ [field]: value })).toEqual([field]);
    expect(issuesOf({ [field]: 1 })).toEqual([]);
  });

  it.each([
    ["region", "mars-1"],
    ["region", ""],
    ["kubernetesVersion", "latest"],
    ["kubernetesVersion", "1.29"],
    ["kubernetesVersion", "1.34.1"],
    ["clusterName", ""],
  ])("have no %s %j", (field, value) => {
    expect(issuesOf({ [field]: value })).toEqual([field]);
  });

  it("may be the defaults", () => {
    const { clusterName, region, kubernetesVersion, batchIdleMilliseconds } = defaultSettings;
    expect(issuesOf({ clusterName, region, kubernetesVersion, batchIdleMilliseconds })).toEqual([]);
  });
});

it.each(["replicas", "factor"])("a scale step asks for no more %s than Kubernetes supports pods", (field) => {
  const step = { at: "1m", do: "scale", kind: "Deployment", name: "web" };
  expect(stepSchemas.scale.safeParse({ ...step, [field]: 150_000 }).success).toBe(true);
  expect(stepSchemas.scale.safeParse({ ...step, [field]: 150_001 }).success).toBe(false);
});
