import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";

const version = "v1.14.1";
/** Go's checksum of the module: the files compared with are those that were looked at. */
const sum = "h1:WGtIQTQcxpElYMdWfWuPwaF2+9muR+hYhPZsTtoY8Gs=";

const download = z.object({ Dir: z.string(), Sum: z.literal(sum) });

/**
 * The user data that Karpenter's own tests expect, by file name without its ending: data that its Go module carries. Downloaded at the first use into
 * Go's module cache. Throws an Error with what Go says when that fails.
 */
export function karpenterGoldenFiles(): ReadonlyMap<string, string> {
  const module = `github.com/aws/karpenter-provider-aws@${version}`;
  const { status, stdout, stderr, error } = spawnSync("go", ["mod", "download", "-json", module], {
    // Outside of any module, so that none is changed by it.
    cwd: tmpdir(),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`go mod download ${module}: ${error?.message ?? (stdout || stderr)}`);
  const folder = join(download.parse(JSON.parse(stdout)).Dir, "pkg", "providers", "launchtemplate", "testdata");
  const files = readdirSync(folder).filter((name) => name.endsWith(".golden"));
  return new Map(files.map((name) => [name.replace(/\.golden$/, ""), readFileSync(join(folder, name), "utf8")]));
}
