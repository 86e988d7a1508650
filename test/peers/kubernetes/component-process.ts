import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

export interface ComponentOptions {
  /** `etcd`, `kube-apiserver`, ...: what the program is told to be. */
  readonly name: string;
  readonly program: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly logFile: string;
}

/** A running part of the control plane. */
export interface ComponentProcess {
  /** Resolves when it has ended, by itself or by {@link stop}. */
  readonly ended: Promise<void>;
  /** Ends it, by force if it does not obey within three seconds. SIGKILL is a crash. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** From here on it answers nobody, while its connections stay open. */
  pause(): void;
  resume(): void;
  /** Resident memory in bytes; 0 where the system does not tell. */
  residentBytes(): number;
}

const patienceMilliseconds = 3_000;

/**
 * Starts one part. It ends itself when its standard input is closed, so that nothing outlives this process, however that ends.
 */
export function startComponent({ name, program, flags, folder, logFile }: ComponentOptions): ComponentProcess {
  const options = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const log = openSync(logFile, "a");
  const child = spawn(program, [name, ...options], { cwd: folder, stdio: ["pipe", log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const kill = forcedAtExit(child);
  return {
    ended,
    async stop(signal = "SIGTERM") {
      if (hasEnded(child)) return;
      child.kill("SIGCONT");
      child.kill(signal);
      const force = setTimeout(kill, patienceMilliseconds);
      await ended;
      clearTimeout(force);
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    residentBytes: () => residentBytes(child),
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** A paused process does not see its standard input close: the way out of this process kills it too. */
function forcedAtExit(child: ChildProcess): () => void {
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return kill;
}

function residentBytes({ pid }: ChildProcess): number {
  try {
    const [, kibibytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kibibytes) * 1_024;
  } catch {
    return 0;
  }
}
