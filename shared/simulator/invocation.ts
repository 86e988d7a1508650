/** The moment before or after one call to the world, where an invocation may be made to crash. */
export interface PortCall {
  /** `port.method`, such as `ec2.runInstances`. */
  readonly name: string;
  /** `after`: the call has taken effect, and its result is lost. */
  readonly phase: "before" | "after";
  readonly args: readonly unknown[];
}

/** Whether to crash here. `callIndex` counts the calls of one invocation from 0; a call keeps its index in both phases. */
export type CrashPlan = (callIndex: number, call: PortCall) => boolean;

/** Thrown into code that goes on after its invocation has ended: in Lambda it would not exist any more. */
export class InvocationKilled extends Error {
  override readonly name = "InvocationKilled";

  constructor(requestId: string, reason: string) {
    super(`invocation ${requestId}: ${reason}`);
  }
}

/** One run of a Lambda function. Once killed it can do nothing more to the world. */
export class Invocation {
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
  readonly #crashPlan: CrashPlan;
  readonly #listeners: ((reason: string) => void)[] = [];
  #killReason: string | undefined;
  #calls = 0;

  constructor(requestId: string, deadlineAt: number, crashPlan: CrashPlan = () => false) {
    this.requestId = requestId;
    this.deadlineAt = deadlineAt;
    this.#crashPlan = crashPlan;
  }

  /** Why it was killed, if it was. */
  get killed(): string | undefined {
    return this.#killReason;
  }

  kill(reason: string): void {
    if (this.#killReason !== undefined) return;
    this.#killReason = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  onKill(listener: (reason: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Throws {@link InvocationKilled}. */
  assertAlive(): void {
    if (this.#killReason !== undefined) {
      throw new InvocationKilled(this.requestId, this.#killReason);
    }
  }

  /** Makes one call to the world, with a chance to crash before it and after it. */
  async call<T>(name: string, args: readonly unknown[], run: () => Promise<T>): Promise<T> {
    const index = this.#calls++;
    this.#checkpoint(index, { name, phase: "before", args });
    try {
      return await run();
    } finally {
      this.#checkpoint(index, { name, phase: "after", args });
    }
  }

  #checkpoint(index: number, call: PortCall): void {
    this.assertAlive();
    if (this.#crashPlan(index, call)) {
      this.kill(`crashed ${call.phase} call ${index}, ${call.name}`);
    }
    this.assertAlive();
  }
}
