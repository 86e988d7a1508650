import { describe, expect, it } from "vitest";
import { fileOf, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { folderOf, planOf, planText } from "../support/command-line.ts";

const web = workloadManifest("Deployment", "web", { replicas: 3 });
const hostnameSpread = `
podTopologySpread:
  defaultConstraints:
  - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule }
`;

function configFile(text: string): { readonly schedulerConfig: string } {
  return { schedulerConfig: `${folderOf({ "scheduler.yaml": text })}/scheduler.yaml` };
}

describe("journeyman plan --scheduler-config", () => {
  it("spreads the pods of workloads that state no spread of their own", async () => {
    const input = fileOf(...poolManifests(), web);
    expect((await planOf(input)).totals.nodes).toBe(1);
    expect((await planOf(input, configFile(hostnameSpread))).totals.nodes).toBe(3);
  });

  it("spreads the pods of a Service", async () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "job" } },
    };
    const job = workloadManifest("Job", "job", { parallelism: 2, completions: 2 });
    const plan = await planOf(fileOf(...poolManifests(), job, service), configFile(hostnameSpread));
    expect(plan.totals.nodes).toBe(2);
  });

  it.each([
    ["podTopologySpread: { defaultConstraint: [] }", "podTopologySpread.defaultConstraint: found unknown field"],
    [`${hostnameSpread}---${hostnameSpread}`, "found 2 documents, expected one scheduler configuration"],
    ["podTopologySpread: [", "scheduler.yaml"],
    ["", "scheduler.yaml: found nothing in it, expected one scheduler configuration"],
    ["null", "scheduler.yaml: found nothing in it, expected one scheduler configuration"],
  ])("refuses %j", async (text, problem) => {
    const { exitCode, notes } = await planText(fileOf(...poolManifests(), web), configFile(text));
    expect(exitCode).toBe(2);
    expect(notes.join("\n")).toContain(problem);
  });

  it("refuses a file that is not there", async () => {
    const { exitCode, notes } = await planText(fileOf(...poolManifests(), web), {
      schedulerConfig: "no-such-file.yaml",
    });
    expect([exitCode, notes.join("\n")]).toEqual([2, expect.stringContaining("no-such-file.yaml")]);
  });
});
