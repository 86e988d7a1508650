import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    motoUrl: string;
  }
}

/** moto: a model of EC2 that others wrote (Python, Apache-2.0). */
const motoVersion = "5.2.5";

/** Installs moto at its first use, starts it on a free port of the loopback interface, and stops it after the last test. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = spawn(join(installedMoto(), "bin", "moto_server"), ["-H", "127.0.0.1", "-p", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const url = await announcedUrl(server);
    await createInstanceProfile(url, "node");
    project.provide("motoUrl", url);
  } catch (error) {
    await stopped(server);
    throw error;
  }
  return () => stopped(server);
}

/** A virtual environment of Python outside the checkout, named by version, so that a new version is a new one. */
function installedMoto(): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "journeyman", "peers", `moto-${motoVersion}`);
  const finished = join(folder, "finished");
  if (existsSync(finished)) return folder;
  console.log(`installing moto ${motoVersion} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  const run = (command: string, ...options: readonly string[]) =>
    execFileSync(command, options, { stdio: ["ignore", "ignore", "inherit"] });
  run("python3", "-m", "venv", folder);
  run(join(folder, "bin", "pip"), "install", "--quiet", "--retries", "5", `moto[server,ec2]==${motoVersion}`);
  writeFileSync(finished, "");
  return folder;
}

async function announcedUrl(server: ChildProcess): Promise<string> {
  const said: string[] = [];
  const lines = server.stderr === null ? [] : createInterface({ input: server.stderr });
  for await (const line of lines) {
    const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
    // Its log of requests is read on, so that the pipe never fills.
    server.stderr?.resume();
    if (url !== undefined) return url;
    said.push(line);
  }
  throw new Error(`moto_server ended before it listened:\n${said.join("\n")}`);
}

/** moto checks that a launch's instance profile exists. One form, rather than a whole SDK client for IAM. */
async function createInstanceProfile(url: string, name: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    // moto tells services apart by the scope of the credentials and checks nothing else of them.
    headers: { authorization: "AWS4-HMAC-SHA256 Credential=test/20200101/us-east-1/iam/aws4_request" },
    body: new URLSearchParams({ Action: "CreateInstanceProfile", Version: "2010-05-08", InstanceProfileName: name }),
  });
  if (!response.ok) throw new Error(`CreateInstanceProfile ${name}: ${response.status} ${await response.text()}`);
}

async function stopped(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  if (server.exitCode === null && server.kill()) await ended;
}
