import type { Range } from "./delivery.ts";
import type { EventLoop } from "./event-loop.ts";
import { uuid } from "./identifiers.ts";
import { type CrashPlan, Invocation } from "./invocation.ts";
import type { Random } from "./random.ts";

/** The code of a function, called with the payload of one event. */
export type FunctionHandler<Payload> = (payload: Payload, invocation: Invocation) => Promise<unknown>;

export interface LambdaFunctionOptions<Payload> {
  readonly name: string;
  readonly timeoutSeconds: number;
  /** What a cold start runs: module state that warm invocations share lives in its closure. */
  readonly initialize: () => FunctionHandler<Payload>;
  readonly coldStartMilliseconds?: Range;
  readonly warmStartMilliseconds?: Range;
  readonly crashPlan?: CrashPlan;
  /** Told of every invocation that did not return. A run that must not hide bugs throws here for `error`. */
  readonly onFailure?: (failure: InvocationFailure) => void;
}

export interface InvocationFailure {
  readonly kind: "failed";
  readonly functionName: string;
  readonly requestId: string;
  /** The handler threw; or the invocation crashed or ran out of time. */
  readonly because: "error" | "killed";
  readonly error: unknown;
}

export type InvocationOutcome = { readonly kind: "returned"; readonly value: unknown } | InvocationFailure;

interface Environment<Payload> {
  readonly handler: FunctionHandler<Payload>;
  idleSince: number;
}

/** An idle execution environment is given up after so long. */
const idleMilliseconds = 10 * 60_000;
/** Lambda's pauses before the two retries of a failed asynchronous invocation. */
const asyncRetryMilliseconds = [60_000, 120_000] as const;

/** A Lambda function: execution environments with cold and warm starts, a deadline that kills, and crashes by plan. */
export class LambdaFunction<Payload> {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly #options: LambdaFunctionOptions<Payload>;
  readonly #loop: EventLoop;
  readonly #random: Random;
  #idle: Environment<Payload>[] = [];
  #coldStarts = 0;

  constructor(options: LambdaFunctionOptions<Payload>, loop: EventLoop, random: Random) {
    this.name = options.name;
    this.timeoutSeconds = options.timeoutSeconds;
    this.#options = options;
    this.#loop = loop;
    this.#random = random.fork(`function ${options.name}`);
  }

  get coldStarts(): number {
    return this.#coldStarts;
  }

  /** A synchronous invocation, as an event source mapping makes it. Never rejects. */
  async invoke(payload: Payload): Promise<InvocationOutcome> {
    const environment = await this.#acquireEnvironment();
    const invocation = new Invocation(
      uuid(this.#random),
      this.#loop.now() + this.timeoutSeconds * 1000,
      this.#options.crashPlan,
    );
    const outcome = await this.#run(environment, payload, invocation);
    if (outcome.kind === "failed") {
      this.#options.onFailure?.(outcome);
    }
    // A handler's error leaves its environment in use; a crash or a timeout ends the process.
    if (invocation.killed === undefined) {
      environment.idleSince = this.#loop.now();
      this.#idle.push(environment);
    }
    return outcome;
  }

  /** An asynchronous invocation, as EventBridge Scheduler makes it: a failure is retried twice, after one and two minutes. */
  async invokeAsync(payload: Payload): Promise<void> {
    for (const pause of [...asyncRetryMilliseconds, undefined]) {
      const outcome = await this.invoke(payload);
      if (outcome.kind === "returned" || pause === undefined) return;
      await this.#loop.sleep(pause);
    }
  }

  async #acquireEnvironment(): Promise<Environment<Payload>> {
    const now = this.#loop.now();
    this.#idle = this.#idle.filter((environment) => now - environment.idleSince < idleMilliseconds);
    const warm = this.#idle.pop();
    if (warm !== undefined) {
      await this.#loop.sleep(this.#random.integer(...(this.#options.warmStartMilliseconds ?? [3, 20])));
      return warm;
    }
    this.#coldStarts += 1;
    await this.#loop.sleep(this.#random.integer(...(this.#options.coldStartMilliseconds ?? [350, 900])));
    return { handler: this.#options.initialize(), idleSince: this.#loop.now() };
  }

  #run(environment: Environment<Payload>, payload: Payload, invocation: Invocation): Promise<InvocationOutcome> {
    return new Promise((resolve) => {
      const fail = (because: "error" | "killed", error: unknown) =>
        resolve({ kind: "failed", functionName: this.name, requestId: invocation.requestId, because, error });
      const deadline = this.#loop.schedule(this.timeoutSeconds * 1000, `${this.name} times out`, () =>
        invocation.kill(`timed out after ${this.timeoutSeconds} s`),
      );
      invocation.onKill((reason) => {
        deadline.cancel();
        fail("killed", new Error(`${this.name}: ${reason}`));
      });
      // Once the invocation is killed the promise is settled, and what its code still returns or throws is of no interest.
      startHandler(environment.handler, payload, invocation).then(
        (value) => {
          deadline.cancel();
          resolve({ kind: "returned", value });
        },
        (error: unknown) => {
          deadline.cancel();
          fail("error", error);
        },
      );
    });
  }
}

/** A handler may throw before its first await, too. */
async function startHandler<Payload>(
  handler: FunctionHandler<Payload>,
  payload: Payload,
  invocation: Invocation,
): Promise<unknown> {
  return await handler(payload, invocation);
}
