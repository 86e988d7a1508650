import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server that others wrote, from PyPI. */
export interface PythonServer {
  /** Name and version, which name its folder too. */
  readonly name: string;
  readonly version: string;
  /** What pip installs. */
  readonly requirement: string;
  /** Its script in the virtual environment. */
  readonly script: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Installs the server at its first use and starts it; it has to listen on a free port of the loopback interface and to say which. */
export async function startPythonServer(server: PythonServer): Promise<RunningServer> {
  const folder = installed(server);
  const child = spawn(join(folder, "bin", server.script), [...(server.options ?? [])], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, TMPDIR: folder, ...server.env },
  });
  try {
    return { url: await announcedUrl(child, server), stop: () => stopped(child) };
  } catch (error) {
    await stopped(child);
    throw error;
  }
}

/** A virtual environment of Python outside the checkout, named by version, so that a new version is a new one. */
function installed({ name, version, requirement }: PythonServer): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "journeyman", "peers", `${name}-${version}`);
  const finished = join(folder, "finished");
  if (existsSync(finished)) return folder;
  console.log(`installing ${name} ${version} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  const run = (command: string, ...options: readonly string[]) =>
    execFileSync(command, options, { stdio: ["ignore", "ignore", "inherit"] });
  run("python3", "-m", "venv", folder);
  run(join(folder, "bin", "pip"), "install", "--quiet", "--retries", "5", requirement);
  writeFileSync(finished, "");
  return folder;
}

async function announcedUrl(child: ChildProcess, { name }: PythonServer): Promise<string> {
  const said: string[] = [];
  const lines = child.stderr === null ? [] : createInterface({ input: child.stderr });
  for await (const line of lines) {
    const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
    // Its log of requests is read on, so that the pipe never fills.
    child.stderr?.resume();
    if (url !== undefined) return url;
    said.push(line);
  }
  throw new Error(`${name} ended before it listened:\n${said.join("\n")}`);
}

async function stopped(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode === null && child.kill()) await ended;
}
