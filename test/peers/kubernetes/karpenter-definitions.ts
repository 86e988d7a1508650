import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import type { KubernetesObject } from "./test-client.ts";

const karpenterModule = "github.com/aws/karpenter-provider-aws";

/** What `go mod download -json` says. A module for a newer Go is downloaded as well, and only not unpacked. */
const download = z.object({ Zip: z.string() });

/** The CustomResourceDefinitions in the Go module of Karpenter for AWS, which has those of its core and of the buffers too. */
export function karpenterDefinitions(version: string): readonly KubernetesObject[] {
  const { stdout, stderr } = run("go", ["mod", "download", "-json", `${karpenterModule}@${version}`]);
  const { data } = download.safeParse(JSON.parse(stdout || "{}"));
  if (data === undefined) throw new Error(`${karpenterModule}@${version} cannot be downloaded: ${stdout}${stderr}`);
  const folder = mkdtempSync(join(tmpdir(), "karpenter-crds-"));
  try {
    const { status, stderr: why } = run("python3", ["-m", "zipfile", "-e", data.Zip, folder]);
    if (status !== 0) throw new Error(`${data.Zip} cannot be unpacked: ${why}`);
    const crds = join(folder, `${karpenterModule}@${version}`, "pkg/apis/crds");
    const files = readdirSync(crds).filter((name) => name.endsWith(".yaml"));
    return files.map((name) => parse(readFileSync(join(crds, name), "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    cwd: tmpdir(),
    maxBuffer: 2 ** 24,
  });
  if (error !== undefined) throw new Error(`${command} cannot be run`, { cause: error });
  return { status, stdout, stderr };
}
