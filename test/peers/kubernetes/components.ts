import { type ChildProcessByStdio, execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Release } from "./releases.ts";

type Say = (line: string) => void;

/**
 * The path of a program that is etcd, kube-apiserver, kube-controller-manager or kube-scheduler of a release, as its first argument says.
 * Built from their Go modules at the first use and kept in the user's cache; two processes that want it at once build it once.
 * Throws an Error when there is no Go, or the build fails.
 */
export async function builtComponents(release: Release, say: Say = console.error): Promise<string> {
  const program = cachedProgram(release);
  const lock = `${program}.lock`;
  for (let waited = 0; !existsSync(program); waited += 1) {
    if (locked(lock)) {
      try {
        // Another process may have finished between the two looks.
        if (!existsSync(program)) await build(release, program, say);
      } finally {
        rmSync(lock, { force: true });
      }
    } else {
      if (waited === 0) say(`Kubernetes ${patchVersion(release)}: waiting for another process that builds it`);
      await delay(1_000);
    }
  }
  return program;
}

/** The version of Kubernetes that a release is built from, as 1.37.2. */
export function patchVersion(release: Release): string {
  const [, version] = /^\tk8s\.io\/kubernetes v(\S+)$/m.exec(readFileSync(modFile(release), "utf8")) ?? [];
  if (version === undefined) throw new Error(`${modFile(release)} requires no version of k8s.io/kubernetes`);
  return version;
}

const folder = fileURLToPath(new URL("components/", import.meta.url));
const modFile = (release: Release) => join(folder, `kubernetes-${release}.mod`);

/** Named by all that goes into it, so that a new version or a new Go makes a new one. */
function cachedProgram(release: Release): string {
  const hash = createHash("sha256").update(goPlatform());
  for (const file of [join(folder, "main.go"), modFile(release), modFile(release).replace(/mod$/, "sum")]) {
    hash.update("\0").update(readFileSync(file));
  }
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "journeyman", "kubernetes");
  mkdirSync(cache, { recursive: true });
  return join(cache, `kubernetes-${patchVersion(release)}-${hash.digest("hex").slice(0, 16)}`);
}

function goPlatform(): string {
  try {
    return execFileSync("go", ["env", "GOVERSION", "GOOS", "GOARCH"], { cwd: folder, encoding: "utf8" }).trim();
  } catch (error) {
    throw new Error("Go 1.26 or newer is needed to build the Kubernetes control plane", { cause: error });
  }
}

const tickMilliseconds = 15_000;

/** Whether this process took the lock. Its holder touches it at each tick: one that has not been touched for long is left over, and goes. */
function locked(lock: string): boolean {
  try {
    writeFileSync(lock, "", { flag: "wx" });
    return true;
  } catch {
    const touchedAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touchedAt > 8 * tickMilliseconds) rmSync(lock, { force: true });
    return false;
  }
}

/** Without the tables for debuggers, whose making takes a sixth of the time. */
const buildOptions = ["-mod=readonly", "-buildvcs=false", "-trimpath", "-gcflags=all=-dwarf=false"];

/** Without C there need be no C compiler. */
const goEnvironment = { ...process.env, CGO_ENABLED: "0" };

async function build(release: Release, program: string, say: Say): Promise<void> {
  const version = patchVersion(release);
  const startedAt = Date.now();
  const tell = (what: string) =>
    say(`Kubernetes ${version}: ${what} after ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  let compiled = 0;
  let packages: number | undefined;
  const progress = setInterval(() => {
    utimesSync(`${program}.lock`, new Date(), new Date());
    tell(packages === undefined ? "fetching its Go modules" : `compiled ${compiled} of at most ${packages} packages`);
  }, tickMilliseconds);
  const unfinished = `${program}.${process.pid}`;
  const options = [`-modfile=${modFile(release)}`, ...buildOptions];
  try {
    say(`Kubernetes ${version}: building its control plane, once; that takes some ten minutes`);
    packages = await packagesToBuild(options);
    const flags = [...options, `-ldflags=${linkerFlags(version)}`, "-o", unfinished, "."];
    const compiler = spawn("go", ["build", "-v", ...flags], {
      cwd: folder,
      env: goEnvironment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const complaints = await complaintsOf(compiler, () => {
      compiled += 1;
    });
    if (complaints !== undefined) throw new Error(`Kubernetes ${version}: go build failed:\n${complaints}`);
    renameSync(unfinished, program);
    tell(`built ${program}`);
  } finally {
    clearInterval(progress);
    rmSync(unfinished, { force: true });
  }
}

/** An upper bound: those that have been compiled before count too. Fetches the modules on its way. */
async function packagesToBuild(options: readonly string[]): Promise<number> {
  const arguments_ = ["list", "-deps", ...options, "."];
  const { stdout } = await promisify(execFile)("go", arguments_, {
    cwd: folder,
    env: goEnvironment,
    maxBuffer: 2 ** 26,
  });
  return stdout.trim().split("\n").length;
}

/** Reads what `go build -v` says, one package a line. Answers with the rest of it when the build fails. */
async function complaintsOf(
  compiler: ChildProcessByStdio<null, null, Readable>,
  onPackage: () => void,
): Promise<string | undefined> {
  const ended = new Promise<number | null>((resolve, reject) => compiler.once("error", reject).once("close", resolve));
  const complaints: string[] = [];
  for await (const line of createInterface({ input: compiler.stderr })) {
    if (/^[\w./-]+$/.test(line)) onPackage();
    else if (!line.startsWith("go: downloading")) complaints.push(line);
  }
  return (await ended) === 0 ? undefined : complaints.join("\n");
}

/** No symbols, which halves it, and the version that `/version` tells. */
function linkerFlags(version: string): string {
  const [major, minor] = version.split(".");
  const facts = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const settings = Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ["-s", "-w", ...settings].join(" ");
}
