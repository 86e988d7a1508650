import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ComponentFlags, ComponentName } from "./component-flags.ts";
import { type ComponentProcess, startComponent } from "./component-process.ts";

const readySeconds = 90;
const restartMilliseconds = 500;

/** The controllers and the scheduler end when the API server is away for long at their start, and count on being started again. */
const mostRestarts: Readonly<Record<ComponentName, number>> = {
  etcd: 0,
  "kube-apiserver": 0,
  "kube-controller-manager": 5,
  "kube-scheduler": 5,
};

/** The processes, by name. */
export class ControlPlaneParts {
  /** Resolves when a part ends that nobody stopped, for good, with its name and the end of its log. */
  readonly failed: Promise<string>;
  #failure: string | undefined;
  #fail: (message: string) => void = () => undefined;
  readonly #running = new Map<ComponentName, ComponentProcess>();
  readonly #program: string;
  readonly #folder: string;
  readonly #flags: ComponentFlags;

  constructor(program: string, folder: string, flags: ComponentFlags) {
    this.#program = program;
    this.#folder = folder;
    this.#flags = flags;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  start(name: ComponentName): void {
    this.#start(name, mostRestarts[name]);
  }

  #start(name: ComponentName, restartsLeft: number): void {
    const part = startComponent({
      name,
      program: this.#program,
      flags: this.#flags[name],
      folder: this.#folder,
      logFile: this.#logFile(name),
    });
    this.#running.set(name, part);
    void part.ended.then(async () => {
      if (restartsLeft > 0) await delay(restartMilliseconds);
      if (this.#running.get(name) !== part) return;
      if (restartsLeft > 0) return this.#start(name, restartsLeft - 1);
      this.#failure = `${name} ended by itself; its log ends with:\n${this.#tail(name)}`;
      this.#fail(this.#failure);
    });
  }

  get(name: ComponentName): ComponentProcess {
    const part = this.#running.get(name);
    if (part === undefined) throw new Error(`${name} is not running`);
    return part;
  }

  async stop(name: ComponentName, signal?: "SIGTERM" | "SIGKILL"): Promise<void> {
    const part = this.get(name);
    this.#running.delete(name);
    await part.stop(signal);
  }

  /** Nothing of it is needed any more: no time is spent on an orderly end. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.stop(name, "SIGKILL")));
  }

  /** Asks until the answer is yes. No answer is a no. */
  async answers(name: ComponentName, isReady: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + readySeconds * 1_000;
    while (!(await isReady().catch(() => false))) {
      if (this.#failure !== undefined) throw new Error(this.#failure);
      if (Date.now() > deadline) {
        throw new Error(`${name} is not ready after ${readySeconds} s; its log ends with:\n${this.#tail(name)}`);
      }
      await delay(50);
    }
  }

  logOf(name: ComponentName): string {
    return readFileSync(this.#logFile(name), "utf8");
  }

  memory(): Readonly<Record<ComponentName, number>> {
    const bytesOf = (name: ComponentName) => this.#running.get(name)?.residentBytes() ?? 0;
    return {
      etcd: bytesOf("etcd"),
      "kube-apiserver": bytesOf("kube-apiserver"),
      "kube-controller-manager": bytesOf("kube-controller-manager"),
      "kube-scheduler": bytesOf("kube-scheduler"),
    };
  }

  #tail(name: ComponentName): string {
    return this.logOf(name).split("\n").slice(-15).join("\n");
  }

  #logFile(name: ComponentName): string {
    return join(this.#folder, `${name}.log`);
  }
}
