import type { SQSEvent } from "aws-lambda";
import type { AccountPorts } from "../account-ports.ts";
import { refreshAccount } from "../controllers/account.ts";
import { disrupt } from "../controllers/disruption.ts";
import { forwardDue } from "../controllers/forwarding.ts";
import { collectGarbage } from "../controllers/garbage-collection.ts";
import { interrupt } from "../controllers/interruption.ts";
import { lifecycle } from "../controllers/lifecycle.ts";
import { provision } from "../controllers/provisioning.ts";
import { terminate } from "../controllers/termination.ts";
import type { Hint } from "../hints.ts";
import { type Ports, ProviderError } from "../ports.ts";
import { provisioningMessageGroup } from "../runtime/config.ts";
import { eventHandler, hintHandler, type Runtime, tickHandler } from "../runtime/lambda.ts";
import type { Settings } from "../state/settings.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventLoop } from "./event-loop.ts";
import { EventSourceMapping } from "./event-source-mapping.ts";
import { type Invocation, InvocationKilled, type PortCall } from "./invocation.ts";
import { accountInvocationPorts, invocationPorts } from "./invocation-ports.ts";
import { type InvocationFailure, LambdaFunction } from "./lambda.ts";
import type { Queue } from "./queue.ts";
import type { Random } from "./random.ts";
import { Schedule } from "./schedule.ts";
import { catalogRule, type SimulatedQueues } from "./simulated-queues.ts";

/** Timeouts in seconds, as the stack sets them; a test holds the two against each other. */
export const functionTimeouts = {
  provisioning: 60,
  lifecycle: 30,
  termination: 30,
  interruption: 20,
  later: 15,
  disruption: 60,
  "garbage-collection": 50,
  catalog: 60,
} as const;
export type FunctionName = keyof typeof functionTimeouts;

/** As `CrashPlan`, and told whose invocation it is. */
export type FunctionCrashPlan = (callIndex: number, call: PortCall, name: FunctionName) => boolean;

export interface FunctionsOptions {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly settings: Settings;
  readonly queues: SimulatedQueues;
  /** The world as one function may use it. */
  readonly portsFor: (name: FunctionName) => Ports;
  readonly account: AccountOptions;
  readonly crashPlan?: FunctionCrashPlan;
  /** A handler threw something that is neither an answer of a provider nor a crash of the simulator's: a bug. */
  readonly onBug: (name: FunctionName, error: unknown) => void;
}

/** What the catalog function alone has. */
export interface AccountOptions {
  readonly ports: AccountPorts;
  /** Where the webhook tells of changed classes. */
  readonly clusterBus: EventBus;
}

/** All functions of the stack with their triggers: the production controllers behind the production envelope. Starts at once. */
export function startFunctions(options: FunctionsOptions): void {
  const { queues } = options;
  const hints = (name: FunctionName, run: HintRun, handling: Parameters<typeof hintHandler>[2]) =>
    queueFunction(options, name, (runtime) => hintHandler(runtime, watched(options, name, run), handling));
  map(options, queues.provisioning, hints("provisioning", provision, { onFailure: "acknowledge" }));
  map(options, queues.lifecycle, hints("lifecycle", lifecycle, { onFailure: "send-again" }));
  map(options, queues.termination, hints("termination", terminate, { onFailure: "send-again" }));
  map(options, queues.later, hints("later", forwardDue, { onFailure: "redeliver", isOutside: true }));
  const interruption = queueFunction(options, "interruption", (runtime) =>
    eventHandler(runtime, watched(options, "interruption", interrupt)),
  );
  map(options, queues.interruption, interruption);
  tick(options, "disruption", (ports, settings) => disrupt(ports, settings));
  tick(options, "garbage-collection", collectGarbage);
  startCatalogFunction(options);
  sweep(options, "sweep", queues.provisioning, { kind: "provision", reason: "sweep" });
  sweep(options, "lifecycle-sweep", queues.lifecycle, { kind: "lifecycle-sweep" });
}

/** Invoked each minute, and by the cluster's bus when a class changes. */
function startCatalogFunction(options: FunctionsOptions): void {
  const { ports, clusterBus } = options.account;
  const run = watched<[], AccountPorts>(options, "catalog", refreshAccount);
  const target = lambda<string, AccountPorts>(
    options,
    { name: "catalog", ports, forInvocation: accountInvocationPorts },
    (runtime) => tickHandler(runtime, run),
  );
  scheduleTick(options, "catalog", target);
  clusterBus.putRule({
    name: "catalog",
    pattern: catalogRule,
    target: { name: "catalog", fifo: false, send: ({ body }) => void target.invokeAsync(body) },
  });
}

type Run<Rest extends readonly unknown[], P extends Ports = Ports> = (
  ports: P,
  settings: Settings,
  ...rest: Rest
) => Promise<unknown>;
type HintRun = Run<[readonly Hint[]]>;

/** Reports what must not happen, and lets it take its course as Lambda would. */
function watched<Rest extends readonly unknown[], P extends Ports = Ports>(
  { onBug }: FunctionsOptions,
  name: FunctionName,
  run: Run<Rest, P>,
): Run<Rest, P> {
  return async (ports, settings, ...rest) => {
    try {
      return await run(ports, settings, ...rest);
    } catch (error) {
      if (!(error instanceof ProviderError) && !(error instanceof InvocationKilled)) onBug(name, error);
      throw error;
    }
  };
}

type Handler<Payload> = (payload: Payload, context: ReturnType<typeof contextOf>) => Promise<unknown>;

function queueFunction(
  options: FunctionsOptions,
  name: FunctionName,
  make: (runtime: () => Runtime) => Handler<SQSEvent>,
): LambdaFunction<SQSEvent> {
  return lambda(options, { name, ports: options.portsFor(name), forInvocation: invocationPorts }, make);
}

interface FunctionWorld<P extends Ports> {
  readonly name: FunctionName;
  readonly ports: P;
  readonly forInvocation: (ports: P, invocation: Invocation) => P;
}

function lambda<Payload, P extends Ports>(
  options: FunctionsOptions,
  { name, ports, forInvocation }: FunctionWorld<P>,
  make: (runtime: () => Runtime<P>) => Handler<Payload>,
): LambdaFunction<Payload> {
  const { loop, random, crashPlan, settings } = options;
  const runtimeFor = (invocation: Invocation): Runtime<P> => ({
    settings,
    telemetry: ports.telemetry,
    flush: () => {},
    ports: () => forInvocation(ports, invocation),
  });
  const initialize = () => (payload: Payload, invocation: Invocation) =>
    make(() => runtimeFor(invocation))(payload, contextOf(invocation, loop));
  return new LambdaFunction(
    {
      name,
      timeoutSeconds: functionTimeouts[name],
      initialize,
      onFailure: ignoreFailure,
      ...(crashPlan && { crashPlan: (index: number, call: PortCall) => crashPlan(index, call, name) }),
    },
    loop,
    random,
  );
}

/** Failures take their course: a retry, a dead letter, a sweep. Bugs are reported where they are thrown. */
function ignoreFailure(_failure: InvocationFailure): void {}

function contextOf(invocation: Invocation, loop: EventLoop) {
  return {
    awsRequestId: invocation.requestId,
    getRemainingTimeInMillis: () => Math.max(0, invocation.deadlineAt - loop.now()),
  };
}

function map({ loop, random }: FunctionsOptions, queue: Queue, target: LambdaFunction<SQSEvent>): void {
  new EventSourceMapping({ queue, function: target, batchSize: 10 }, loop, random);
}

function tick(options: FunctionsOptions, name: FunctionName, run: Run<[]>): void {
  const world = { name, ports: options.portsFor(name), forInvocation: invocationPorts };
  const target = lambda<string, Ports>(options, world, (runtime) => tickHandler(runtime, watched(options, name, run)));
  scheduleTick(options, name, target);
}

function scheduleTick({ loop, random }: FunctionsOptions, name: FunctionName, target: LambdaFunction<string>): void {
  new Schedule({ name, rateMinutes: 1, target: (time) => void target.invokeAsync(time) }, loop, random);
}

/** The Scheduler's body carries its time: equal bodies would be dropped by the FIFO queue's deduplication (design §4.1, step 1). */
function sweep(
  { loop, random }: FunctionsOptions,
  name: string,
  queue: Queue,
  hint: Readonly<Record<string, string>>,
): void {
  const target = (scheduledTime: string) => {
    const group = queue.fifo ? { messageGroupId: provisioningMessageGroup } : {};
    queue.send({ body: JSON.stringify({ ...hint, scheduledTime }), ...group });
  };
  new Schedule({ name, rateMinutes: 1, target }, loop, random);
}
