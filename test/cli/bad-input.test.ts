import { truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { nodeClassManifest, nodePoolManifest } from "../support/api-manifests.ts";
import { fileOf, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { folderOf, journeyman, planText } from "../support/command-line.ts";

const web = workloadManifest("Deployment", "web", { replicas: 1 });
const requirement = (entry: object) => nodePoolManifest(["spec.template.spec.requirements", [entry]]);

/** The lines on standard error of an input that is refused. */
async function refusal(text: string): Promise<string> {
  const { exitCode, output, notes } = await planText(text);
  expect(exitCode).toBe(2);
  expect(output).toBe("");
  return notes.join("\n");
}

describe("bad input", () => {
  it.each([
    ["malformed YAML", "a: [", "standard input, document 1, line"],
    ["no file content", "", "found nothing in it, expected at least one Kubernetes object"],
    ["binary content", "PK\0\0", "found binary content"],
    ["a missing class", fileOf(nodePoolManifest(), web), 'nodeClassRef.name: found "default"'],
    ["no NodePool", fileOf(web), "input: found no NodePool"],
    [
      "an unknown operator",
      fileOf(requirement({ key: "a", operator: "Inn", values: ["b"] }), nodeClassManifest()),
      'found "Inn", expected one of "In"',
    ],
    [
      "a negative quantity",
      fileOf(...poolManifests(["spec.limits", { cpu: "-1" }])),
      'spec.limits.cpu: found "-1", expected a non-negative quantity',
    ],
    [
      "a wrong type",
      fileOf(workloadManifest("Deployment", "web", { replicas: "two" })),
      'spec.replicas: found "two", expected a number',
    ],
    [
      "the same name with different content",
      fileOf(...poolManifests(), web, workloadManifest("Deployment", "web", { replicas: 2 })),
      "standard input, document 3",
    ],
    ["a time that is none", fileOf(...poolManifests(), podManifest("a", { creationTimestamp: "today" })), '"today"'],
  ])("%s is refused", async (_what, text, expected) => {
    expect(await refusal(text)).toContain(expected);
  });

  it.each([
    ["1e400", "infinity"],
    ["-.inf", "minus infinity"],
    [".nan", "a value that is not a number"],
  ])("%s as a quantity or a count is told as %s", async (number, found) => {
    const sized = workloadManifest("Deployment", "web", { replicas: 77 }, { podSpec: { overhead: { cpu: 77 } } });
    const yaml = stringify(sized).replaceAll("77", number);
    const lines = await refusal(`${fileOf(...poolManifests())}\n---\n${yaml}`);
    expect(lines).toContain(`spec.replicas: found ${found}, expected a finite number`);
    expect(lines).toContain(`overhead.cpu: found ${found}, expected a non-negative quantity such as 500m, 2 or 1.5Gi`);
    expect(lines).not.toContain("null");
  });

  it("in a class is told of once: that class is not missed as well", async () => {
    const [pool = {}, nodeClass = {}] = poolManifests();
    const lines = await refusal(fileOf(pool, { ...nodeClass, spec: { role: 7 } }));
    expect(lines).toContain("document 2, spec.role");
    expect(lines).not.toContain("nodeClassRef");
  });

  it("that is harmless is noted: the same object again, and kinds that are not read, once for each", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
    const other = { apiVersion: "v1", kind: "Secret", metadata: { name: "b" } };
    const { exitCode, notes } = await planText(fileOf(...poolManifests(), web, web, secret, other));
    expect(exitCode).toBe(0);
    expect(notes).toEqual([
      expect.stringContaining("Deployment default/web again, the same as in standard input, document 3"),
      "note: kind Secret is not read here: 2 skipped",
    ]);
  });
});

describe("fields of pods that Kubernetes does not know", () => {
  const podSpec = {
    nodSelector: { team: "ml" },
    priorityClassName: "system-node-critical",
    containers: [{ name: "a", image: "a", comand: ["a"], resources: { requests: { cpu: "1" } } }],
    initContainers: [{ name: "b", zzzzzz: 1 }],
  };

  it("are noted, each with its place and what was probably meant", async () => {
    const pods = [workloadManifest("Deployment", "web", {}, { podSpec }), podManifest("bare", {}, { tolerationz: [] })];
    const { exitCode, notes } = await planText(fileOf(...poolManifests(), ...pods));
    const at = (document: number, path: string) =>
      `note: standard input, document ${document}, ${path}: Kubernetes knows no such field and ignores it`;
    expect(exitCode).toBe(0);
    expect(notes).toEqual([
      `${at(3, "spec.template.spec.nodSelector")}; did you mean nodeSelector?`,
      `${at(3, "spec.template.spec.containers[0].comand")}; did you mean command?`,
      at(3, "spec.template.spec.initContainers[0].zzzzzz"),
      `${at(4, "spec.tolerationz")}; did you mean tolerations?`,
    ]);
  });

  it("are none in what an API server has stored", async () => {
    const stored = podManifest("stored", { uid: "u" }, { fieldOfTomorrow: true });
    expect((await planText(fileOf(...poolManifests(), stored))).notes).toEqual([]);
  });
});

describe("the command line on bad files", () => {
  it("reports all of them at once, each in a line of its own, and exits with 2", () => {
    const folder = folderOf({
      "all/bad.yaml": "a: [",
      "all/binary.yaml": Uint8Array.from([0xff, 0xfe, 0x00, 0x80]),
      "all/empty.yml": "",
      "all/huge.json": "",
      "all/deep/pool.yaml": fileOf(...poolManifests(["spec.limits", { cpu: "-1" }])),
      "no-manifests/readme.txt": "",
    });
    truncateSync(join(folder, "all/huge.json"), 100 * 1024 * 1024);
    const files = ["all", "no-manifests", "missing.yaml", "all/bad.yaml/x"].flatMap((file) => ["-f", file]);
    const { exitCode, stdout, stderr } = journeyman(["plan", ...files], { cwd: folder });
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n").sort()).toEqual([
      expect.stringContaining("error: all/bad.yaml, document 1, line"),
      "error: all/bad.yaml/x: found a path through a file that is no directory, expected a readable file",
      "error: all/binary.yaml: found binary content, expected YAML or JSON text in UTF-8",
      expect.stringContaining("error: all/deep/pool.yaml, document 1, spec.limits.cpu: found"),
      "error: all/empty.yml: found nothing in it, expected at least one Kubernetes object",
      "error: all/huge.json: found at least 100 MiB, expected at most 32 MiB; split it",
      "error: missing.yaml: found no such file or directory, expected a readable file",
      "error: no-manifests: found a directory without manifests, expected at least one .yaml, .yml or .json file in it",
    ]);
  });

  it.each([
    [["plan"], "required option '-f"],
    [["plan", "-f", "x", "-o", "xml"], "Allowed choices are table, json, yaml"],
    [["plan", "-f", "x", "--kubernetes-version", "latest"], "expected a minor version such as 1.34"],
    [["plan", "-f", "x", "--kubernetes-version", "1.29"], "expected a minor version such as 1.34, from 1.30 on"],
    [["plan", "-f", "x", "--region", "mars-1"], "expected an AWS region such as eu-central-1"],
    [["plann"], "unknown command 'plann'"],
    [["simulate", "shop", "--seed", "x"], "expected a whole number"],
    [
      ["simulate", "shopp"],
      "no such scenario, expected a scenario file, or one that is shipped: shop; did you mean shop?",
    ],
    [["simulate", "missing.yaml"], "error: missing.yaml: found no such file or directory"],
  ])("exits with 2 on %j", (args, expected) => {
    const { exitCode, stdout, stderr } = journeyman(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(expected);
  });
});
