import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseScenario, readScenario, shippedScenarios } from "../../cli/scenario-file.ts";
import { describeProblem } from "../../shared/api/problems.ts";
import { nodePoolManifest } from "../support/api-manifests.ts";
import { fileOf, poolManifests, workloadManifest } from "../support/cli-manifests.ts";

const web = workloadManifest("Deployment", "web", { replicas: 2 });

/** A scenario of ten minutes; `files` are what its manifests are read from. */
function scenarioOf(fields: object, files: Readonly<Record<string, string>> = {}) {
  const text = stringify({ name: "test", durationSeconds: 600, ...fields });
  return parseScenario("test.yaml", text, async (file) => ({ name: file, text: files[file] ?? "" }));
}

async function problemsOf(fields: object): Promise<readonly string[]> {
  return (await scenarioOf(fields)).problems.map(describeProblem);
}

async function stepsOf(fields: object, files: Readonly<Record<string, string>> = {}) {
  const { scenario, problems } = await scenarioOf(fields, files);
  expect(problems).toEqual([]);
  return scenario?.steps ?? [];
}

describe("a scenario file", () => {
  it("has all its problems told at once, and nothing missed that may stand in what could not be read", async () => {
    const text = stringify({
      name: "test",
      durationSeconds: 600,
      setting: {},
      files: ["missing.yaml"],
      steps: [
        { at: "1m", do: "scail" },
        { at: "2m", do: "apply", files: ["gone.yaml"] },
        { at: "11m", do: "scale", kind: "Deployment", name: "web", replicas: 1 },
      ],
    });
    const missing = { document: 0, path: "", found: "no such file", expected: "a readable file" };
    const { scenario, problems } = await parseScenario("test.yaml", text, async (file) => ({ file, ...missing }));
    expect(scenario).toBeUndefined();
    expect(problems.map(describeProblem)).toEqual([
      expect.stringContaining("setting: found unknown field"),
      expect.stringContaining('steps[0].do: found "scail"'),
      expect.stringContaining("missing.yaml: found no such file"),
      expect.stringContaining("gone.yaml: found no such file"),
      expect.stringContaining('steps[2].at: found "11m"'),
    ]);
  });

  it.each(shippedScenarios())("%s, which is shipped, has nothing wrong in it", async (name) => {
    const { scenario, problems, notes } = await readScenario(name);
    expect([problems, notes]).toEqual([[], []]);
    expect(scenario?.steps.length).toBeGreaterThan(0);
  });

  it("has its steps in order of time, with manifests from files and from itself", async () => {
    const steps = await stepsOf(
      {
        steps: [
          { at: "5m", do: "note", text: "later" },
          { at: "90s", do: "apply", files: ["web.yaml"], objects: poolManifests() },
        ],
      },
      { "web.yaml": fileOf(web) },
    );
    expect(steps.map(({ atSeconds }) => atSeconds)).toEqual([90, 300]);
    const [{ action } = { action: undefined }] = steps;
    expect(action?.do === "apply" && action.objects.map(({ kind }) => kind)).toEqual([
      "NodePool",
      "EC2NodeClass",
      "Deployment",
    ]);
  });

  it("scales every workload of a kind by a factor of what its manifest asks for", async () => {
    const objects = [...poolManifests(), web, workloadManifest("Deployment", "api", { replicas: 3 })];
    const steps = await stepsOf({ objects, steps: [{ at: "1m", do: "scale", kind: "Deployment", factor: 1.5 }] });
    expect(steps.map(({ action }) => action)).toEqual([
      { do: "scale", kind: "Deployment", namespace: "default", name: "web", replicas: 3 },
      { do: "scale", kind: "Deployment", namespace: "default", name: "api", replicas: 5 },
    ]);
  });

  it("aims notices at a number of instances or at a node", async () => {
    const steps = await stepsOf({
      steps: [
        { at: "1m", do: "interruptSpot", count: 2 },
        { at: "2m", do: "recommendRebalance", node: "n1" },
      ],
    });
    expect(steps.map(({ action }) => action)).toEqual([
      { do: "interruptSpot", target: { count: 2 } },
      { do: "recommendRebalance", target: { node: "n1" } },
    ]);
  });

  it.each([
    [{ steps: [{ at: "1m", do: "scail" }] }, 'steps[0].do: found "scail", expected one of apply, scale, delete'],
    [{ steps: ["x"] }, "steps[0].do: found nothing"],
    [{ steps: [{ at: "soon", do: "note", text: "x" }] }, 'steps[0].at: found "soon", expected a time after the start'],
    [{ steps: [{ at: "11m", do: "note", text: "x" }] }, 'steps[0].at: found "11m", expected a time before the end'],
    [{ steps: [{ at: "1m", do: "loseEvents", share: 2 }] }, "steps[0].share: found 2, expected at most 1"],
    [{ steps: [{ at: "1m", do: "interruptSpot" }] }, "steps[0]: found neither, expected either count or node"],
    [{ steps: [{ at: "1m", do: "apply" }] }, "steps[0]: found neither, expected objects or files to apply"],
    [
      { steps: [{ at: "1m", do: "scale", kind: "Deployment", name: "web", replicas: 1 }] },
      "steps[0]: found nothing that is Deployment default/web by 1m",
    ],
    [
      { objects: [...poolManifests(), web], steps: [{ at: "1m", do: "scale", kind: "Deployment", factor: 100_000 }] },
      "steps[0]: found 200000 pods of Deployment web, expected at most 150000",
    ],
    [{ settings: { batchIdleMilliseconds: 1e-300 } }, "settings.batchIdleMilliseconds: found 1e-300, expected a whole"],
    [{ settings: { maxNodes: 0 } }, "settings.maxNodes: found 0, expected at least 1"],
    [{ settings: { region: "mars-1" } }, 'settings.region: found "mars-1", expected an AWS region'],
    [{ objects: [nodePoolManifest()] }, 'nodeClassRef.name: found "default"'],
    [{ steps: [{ at: "1m", do: "apply", objects: [{ kind: "Pod" }] }] }, "test.yaml, step 1, document 1, items[0]"],
    [{ durationSeconds: 0 }, "durationSeconds: found 0"],
    [{ setting: {} }, "setting: found unknown field"],
  ])("%j is refused", async (fields, expected) => {
    expect((await problemsOf(fields)).join("\n")).toContain(expected);
  });
});
