import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fileOf, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { checkedEnvironment, folderOf } from "../support/command-line.ts";

const entry = fileURLToPath(new URL("../../cli/journeyman.js", import.meta.url));
const fullDisk = "/dev/full";

interface LostOutput {
  readonly exitCode: unknown;
  /** What could still be read of the stream that was not lost. */
  readonly text: string;
}

/** Runs the command with one of its output streams closed by its reader at once, or on a full disk. */
async function losing(lost: "stdout" | "stderr", how: "closed" | "full", args: readonly string[]): Promise<LostOutput> {
  const broken = how === "full" ? openSync(fullDisk, "w") : "pipe";
  const stdio = lost === "stdout" ? (["ignore", broken, "pipe"] as const) : (["ignore", "pipe", broken] as const);
  const child = spawn(process.execPath, [entry, ...args], { stdio: [...stdio], env: checkedEnvironment() });
  if (how === "closed") child[lost]?.destroy();
  const kept = lost === "stdout" ? child.stderr : child.stdout;
  let text = "";
  kept?.on("data", (chunk) => {
    text += String(chunk);
  });
  const [exitCode] = await once(child, "close");
  return { exitCode, text };
}

function unplaceable(): readonly string[] {
  const web = workloadManifest("Deployment", "web", {}, { podSpec: { nodeSelector: { team: "ml" } } });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "web" } };
  return ["plan", "-f", `${folderOf({ "all.yaml": fileOf(...poolManifests(), web, secret) })}/all.yaml`];
}

describe("output that nobody reads any more", () => {
  it("leaves the command its own exit code and is no error", async () => {
    const { exitCode, text } = await losing("stdout", "closed", unplaceable());
    expect(exitCode).toBe(1);
    expect(text).toBe("note: kind Secret is not read here: 1 skipped\n");
  });

  it("may be the notes: the result is printed all the same", async () => {
    const { exitCode, text } = await losing("stderr", "closed", unplaceable());
    expect(exitCode).toBe(1);
    expect(text).toContain("NO PLACE FOR 1 pod");
  });
});

describe.skipIf(!existsSync(fullDisk))("output to a full disk", () => {
  it("is told in one line, with exit code 2", async () => {
    const { exitCode, text } = await losing("stdout", "full", ["--help"]);
    expect(exitCode).toBe(2);
    expect(text).toMatch(/^error: standard output: found ENOSPC: .*\n$/);
  });

  it("ends with exit code 2 when it is the notes", async () => {
    expect((await losing("stderr", "full", unplaceable())).exitCode).toBe(2);
  });
});
