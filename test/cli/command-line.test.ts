import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fileOf, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { folderOf, journeyman } from "../support/command-line.ts";

const web = workloadManifest("Deployment", "web", { replicas: 2 });
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "web" } };

describe("journeyman plan", () => {
  it("prints JSON alone on standard output, and notes on standard error", () => {
    const input = fileOf(...poolManifests(), web, secret);
    const { exitCode, stdout, stderr } = journeyman(["plan", "-f", "-", "-o", "json"], { input });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).totals).toMatchObject({ pods: 2, scheduled: 2, nodes: 1 });
    expect(stderr).toBe("note: kind Secret is not read here: 1 skipped\n");
  });

  it("reads files and folders of YAML and JSON, and prints YAML", () => {
    const folder = folderOf({ "pool.yaml": fileOf(...poolManifests()), "apps/web.json": JSON.stringify(web) });
    const args = ["plan", "-f", "pool.yaml", "-f", "apps", "--scale", "deployment/web=3", "-o", "yaml"];
    const { exitCode, stdout } = journeyman(args, { cwd: folder });
    expect(exitCode).toBe(0);
    expect(parse(stdout).totals.scheduled).toBe(3);
  });

  it("exits with 1 and tells the reason for each NodePool when a pod fits nowhere", () => {
    const podSpec = { nodeSelector: { team: "ml" } };
    const input = fileOf(...poolManifests(), workloadManifest("Deployment", "web", {}, { podSpec }));
    const { exitCode, stdout } = journeyman(["plan", "-f", "-"], { input });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/NO PLACE FOR 1 pod\n.*default\/web-0\n {4}default: .*team/);
  });

  it("takes what a node costs and what is wished of spot nodes as options, and says which numbers it accepts", () => {
    const input = fileOf(...poolManifests(), web);
    const plan = (...options: readonly string[]) =>
      journeyman(["plan", "-f", "-", "-o", "json", ...options], { input });
    const spot = ["--spot-spread-share", "1", "--spot-min-offerings", "0"];
    const { exitCode, stdout } = plan("--node-charge", "0.25", "--volume-price-factor", "0", ...spot);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).totals.nodeCost).toMatchObject({ volumesUsdPerHour: 0, chargeUsdPerHour: 0.25 });
    for (const wrong of [
      ["--spot-spread-share", "0"],
      ["--spot-spread-share", "2"],
      ["--spot-min-offerings", "1.5"],
      ["--node-charge", "-1"],
    ]) {
      expect(plan(...wrong)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(wrong[0] ?? "") });
    }
  });

  it("leaves the slack that it is asked for, says so, and says which it accepts", () => {
    const input = fileOf(...poolManifests(), web);
    const plan = (...options: readonly string[]) => journeyman(["plan", "-f", "-", ...options], { input });
    expect(plan("--packing-slack", "4").stdout).toContain("4 % of each new node's CPU and memory is left free");
    expect(JSON.parse(plan("--packing-slack", "4", "-o", "json").stdout).totals.packingSlackPercent).toBe(4);
    expect(plan().stdout).not.toContain("left free");
    expect(plan("--packing-slack", "51")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("from 0 to 50"),
    });
  });

  it("tells of all wrong options at once, those that are unknown or missing too", () => {
    const wrong = ["--node-charge", "-1", "--region", "x", "-o", "xml"];
    for (const others of [["-f", "-"], [], ["-f", "-", "--no-such-option"]]) {
      const { exitCode, stdout, stderr } = journeyman(["plan", ...wrong, ...others]);
      expect(exitCode).toBe(2);
      expect(stdout).toBe("");
      const errors = stderr.split("\n").filter((line) => line.startsWith("error: option "));
      expect(errors).toEqual([
        "error: option '--node-charge <usd>' argument '-1' is invalid. expected a number of 0 or more, such as 0.02.",
        "error: option '--region <region>' argument 'x' is invalid. expected an AWS region such as eu-central-1.",
        "error: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are table, json, yaml.",
      ]);
      const missing = others.length === 0 ? "required option '-f" : (others[2] ?? "");
      expect(stderr).toContain(missing);
    }
  });

  it("gives the same output for the same input, whatever the order of its files", () => {
    const folder = folderOf({ "a.yaml": fileOf(...poolManifests()), "b.yaml": fileOf(web) });
    const run = (...files: readonly string[]) =>
      journeyman(["plan", ...files.flatMap((file) => ["-f", file]), "-o", "json"], { cwd: folder }).stdout;
    expect(run("b.yaml", "a.yaml")).toBe(run("a.yaml", "b.yaml"));
  });
});

describe("journeyman", () => {
  it("tells its version", () => {
    const { exitCode, stdout } = journeyman(["--version"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("tells what it can do, with its exit codes", () => {
    const { exitCode, stdout } = journeyman(["--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("plan");
    expect(stdout).toContain("simulate");
    expect(journeyman(["plan", "--help"]).stdout).not.toContain("[]");
    expect(stdout).toContain("Exit codes: 0 done; 1 some pods cannot be placed, or an invariant broke; 2 bad input.");
  });
});
