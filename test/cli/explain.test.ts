import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ExplainOptions, explain } from "../../cli/explain.ts";
import { plan } from "../../cli/plan.ts";
import type { ExplanationReport } from "../../cli/report/explain-json.ts";
import type { PlanReport } from "../../cli/report/plan-json.ts";
import { withFix } from "../support/applied-edits.ts";
import { stdinOf } from "../support/command-line.ts";

const folder = fileURLToPath(new URL("golden/explain", import.meta.url));
const options = { region: "us-east-1", kubernetesVersion: "1.34", catalog: `${folder}/catalog.json` } as const;

/** Each cannot be placed for another cause; what fails, and the edit that comes first. */
const cases = [
  { file: "unknown-label", pod: "shop/cache", key: "disktype", edit: "spec.nodeSelector.disktype" },
  {
    file: "wrong-architecture",
    pod: "shop/cache-1",
    key: "kubernetes.io/arch",
    edit: "matchExpressions[0].values[1]",
  },
  { file: "misspelt-zone", pod: "shop/cache", key: "topology.kubernetes.io/zone", edit: "spec.nodeSelector[" },
  { file: "untolerated-taint", pod: "shop/trainer", key: "taint", edit: "spec.tolerations[0]" },
  { file: "too-large", pod: "shop/report", key: "cpu", edit: "spec.containers[0].resources.requests.cpu" },
  { file: "limit-reached", pod: "shop/web-2", key: "limits.cpu", edit: "spec.limits.cpu" },
  { file: "taken-host-port", pod: "shop/gateway", key: "hostPort", edit: "spec.containers[0].ports[0].hostPort" },
  { file: "zones-used-up", pod: "shop/db-3", key: "topology.kubernetes.io/zone", edit: "[0].topologyKey" },
  { file: "no-gpu", pod: "shop/trainer", key: "nvidia.com/gpu", edit: "spec.containers[0].resources" },
  {
    file: "unreachable-min-values",
    pod: "shop/cache",
    key: "minValues of node.kubernetes.io/instance-type",
    edit: 'spec.nodeSelector["karpenter.sh/nodepool"]',
  },
  { file: "spread-over-nothing", pod: "shop/web-0", key: "example.com/rack", edit: "[0].whenUnsatisfiable" },
  { file: "static-pool", pod: "shop/cache", key: "replicas", edit: 'spec.nodeSelector["karpenter.sh/nodepool"]' },
];

function textOf(file: string): string {
  return ["world", file].map((name) => readFileSync(`${folder}/${name}.yaml`, "utf8")).join("\n---\n");
}

function explained(text: string, pod: string, output: ExplainOptions["output"]) {
  return explain("pod", pod, { ...options, filename: ["-"], output }, stdinOf(text));
}

async function reportOf(text: string, pod: string): Promise<ExplanationReport> {
  const { output, notes } = await explained(text, pod, "json");
  if (output === "") throw new Error(notes.join("\n"));
  return JSON.parse(output);
}

/** Pods without a place when the whole input is planned. */
async function leftOver(text: string): Promise<readonly string[]> {
  const { output, notes } = await plan({ ...options, filename: ["-"], output: "json" }, stdinOf(text));
  if (output === "") throw new Error(notes.join("\n"));
  const report: PlanReport = JSON.parse(output);
  return report.unschedulable.map(({ pod }) => pod);
}

describe("a pod that cannot be placed is told what fails and what would help:", () => {
  it.each(cases)("$file", async ({ file, pod, key, edit }) => {
    const text = textOf(file);
    const { exitCode, output } = await explained(text, pod, "table");
    expect(exitCode).toBe(1);
    await expect(output).toMatchFileSnapshot(`golden/explain/${file}.txt`);

    const { refusals = [], fixes = [] } = await reportOf(text, pod);
    const named = refusals.find((refusal) => refusal.key === key);
    expect(named).toMatchObject({ nodePool: expect.stringMatching(/./), found: expect.any(String) });
    expect(named?.accepted).toMatch(/./);
    expect(fixes[0]?.path).toContain(edit);
  });

  it.each(cases)("$file: each edit, made in the files, gives the pod a place", async ({ file, pod }) => {
    const text = textOf(file);
    const { fixes = [], owner } = await reportOf(text, pod);
    expect(fixes.length).toBeGreaterThan(0);
    expect(await leftOver(text)).toContain(pod);
    for (const fix of fixes) {
      expect(await leftOver(withFix(text, fix, owner)), `${fix.object} ${fix.path}`).not.toContain(pod);
    }
  });

  it("puts edits of the pod before those of NodePools", async () => {
    const { fixes = [] } = await reportOf(textOf("wrong-architecture"), "shop/cache-0");
    const kinds = fixes.map(({ object }) => object.split(" ")[0]);
    expect(kinds).toEqual([...kinds].sort().reverse());
    expect(new Set(kinds)).toEqual(new Set(["Pod", "NodePool"]));
  });

  it("says so when no single edit helps", async () => {
    const pod = `apiVersion: v1
kind: Pod
metadata: { name: odd }
spec:
  nodeSelector: { a: b, c: d }
  containers: [{ name: app, resources: { requests: { cpu: 100m } } }]
`;
    const { output, exitCode } = await explained(`${textOf("unknown-label")}\n---\n${pod}`, "default/odd", "table");
    expect(exitCode).toBe(1);
    expect(output).toMatch(/NO SINGLE EDIT HELPS; \d+ edits? tried by planning again/);
  });
});
