import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { shortHash } from "../api/short-hash.ts";
import type { Hint } from "../hints.ts";
import { metric } from "../metrics.ts";
import { type ClockPort, type Ports, ProviderError, type TelemetryPort } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { actingPorts } from "./acting-ports.ts";
import { parseHintMessage, parseJson } from "./messages.ts";

/** What a Lambda sandbox keeps between invocations. */
export interface Runtime<P extends Ports = Ports> {
  readonly settings: Settings;
  readonly telemetry: TelemetryPort;
  ports(invocation: Invocation): P;
  flush(): void;
}

export interface Invocation extends Pick<ClockPort, "remainingMilliseconds"> {
  readonly requestId: string;
}

/** What the handlers read of Lambda's context. */
export type InvocationContext = Pick<Context, "awsRequestId" | "getRemainingTimeInMillis">;
export type QueueHandler = (event: SQSEvent, context: InvocationContext) => Promise<SQSBatchResponse>;
export type TickHandler = (event: unknown, context: InvocationContext) => Promise<void>;

interface HintHandlerOptions {
  /**
   * `redeliver` leaves the messages to the queue: again after the visibility timeout, at last to the dead-letter queue.
   * `acknowledge` takes them off, counts the failure and leaves a follow-up hint instead, so that a world which no pass survives
   * never blocks a FIFO queue (design §4.1, step 1).
   * `send-again` is for an API that is down or throttles: the hints are sent again, spread over some time, so that they neither come all
   * at once nor end in the dead-letter queue (field-scenarios B7.18). Old ones are dropped: the sweeps have passed over what they tell. A
   * bug is redelivered.
   */
  readonly onFailure: "redeliver" | "acknowledge" | "send-again";
  /** For a function that has no access to the cluster, and so neither looks for a Karpenter there. */
  readonly isOutside?: true;
}

const followUpSeconds = 15;
const oldHintMilliseconds = 600_000;

/** A handler for a queue of hints. A malformed message goes back alone and ends in the dead-letter queue. */
export function hintHandler(
  runtime: () => Runtime,
  run: (ports: Ports, settings: Settings, hints: readonly Hint[]) => Promise<unknown>,
  options: HintHandlerOptions = { onFailure: "redeliver" },
): QueueHandler {
  const begin = options.isOutside ? run : acting(run);
  return batchHandler(runtime, parseHint, async (ports, settings, hints) => {
    try {
      await begin(ports, settings, hints);
    } catch (error) {
      countFailure(ports.telemetry, error);
      if (options.onFailure === "acknowledge") {
        const followUp: Hint = { kind: "provision", reason: "retry", at: ports.clock.now() };
        return ports.hints.send(followUp, { delaySeconds: followUpSeconds });
      }
      if (options.onFailure === "redeliver" || !(error instanceof ProviderError)) throw error;
      await sendAgain(ports, hints);
    }
  });
}

/** After 10 to 25 s, of each invocation another time. The sweep comes by itself. */
async function sendAgain({ hints: port, clock }: Ports, hints: readonly Hint[]): Promise<void> {
  for (const [index, hint] of hints.entries()) {
    if (hint.kind === "lifecycle-sweep" || clock.now() - hint.at > oldHintMilliseconds) continue;
    const spread = Number.parseInt(shortHash(`${clock.requestId()} ${index}`, 4), 36) % 16;
    await port.send(hint, { delaySeconds: 10 + spread });
  }
}

/** A handler for a queue of events that are not hints: each goes on as the JSON it is. */
export function eventHandler(
  runtime: () => Runtime,
  run: (ports: Ports, settings: Settings, events: readonly unknown[]) => Promise<unknown>,
): QueueHandler {
  const begin = acting(run);
  return batchHandler(runtime, parseEvent, async (ports, settings, events) => {
    try {
      await begin(ports, settings, events);
    } catch (error) {
      countFailure(ports.telemetry, error);
      throw error;
    }
  });
}

/** A handler that a schedule invokes: nothing comes in but the tick. */
export function tickHandler<P extends Ports>(
  runtime: () => Runtime<P>,
  run: (ports: P, settings: Settings) => Promise<unknown>,
): TickHandler {
  const begin = acting(run);
  return async (_event, context) => {
    const { settings, telemetry, ports, flush } = runtime();
    try {
      await begin(ports(invocationOf(context)), settings);
    } catch (error) {
      countFailure(telemetry, error);
      throw error;
    } finally {
      flush();
    }
  };
}

/** The run with the ports of a controller. While a Karpenter runs it does not begin: what it was called for is dropped, and sweeps come. */
function acting<P extends Ports, Rest extends readonly unknown[]>(
  run: (ports: P, settings: Settings, ...rest: Rest) => Promise<unknown>,
): typeof run {
  return async (ports, settings, ...rest) => {
    const own = await actingPorts(ports, settings);
    if (own !== undefined) await run(own, settings, ...rest);
  };
}

type Parsed<T> =
  | { readonly kind: "message"; readonly value: T }
  | { readonly kind: "malformed"; readonly reason: string };

function batchHandler<T>(
  runtime: () => Runtime,
  parse: (body: string) => Parsed<T>,
  run: (ports: Ports, settings: Settings, messages: readonly T[]) => Promise<void>,
): QueueHandler {
  return async (event, context) => {
    const { settings, telemetry, ports, flush } = runtime();
    try {
      const messages: T[] = [];
      const batchItemFailures: { itemIdentifier: string }[] = [];
      for (const { messageId, body } of event.Records) {
        const parsed = parse(body);
        if (parsed.kind === "message") messages.push(parsed.value);
        else {
          batchItemFailures.push({ itemIdentifier: messageId });
          telemetry.count(metric.malformedMessages, 1);
          telemetry.log("error", "malformed message", { messageId, reason: parsed.reason });
        }
      }
      if (messages.length > 0) await run(ports(invocationOf(context)), settings, messages);
      return { batchItemFailures };
    } finally {
      flush();
    }
  };
}

function parseHint(body: string): Parsed<Hint> {
  const parsed = parseHintMessage(body);
  return parsed.kind === "hint" ? { kind: "message", value: parsed.hint } : parsed;
}

function parseEvent(body: string): Parsed<unknown> {
  const parsed = parseJson(body);
  return parsed.kind === "json" ? { kind: "message", value: parsed.value } : parsed;
}

function countFailure(telemetry: TelemetryPort, error: unknown): void {
  telemetry.count(metric.passFailures, 1);
  telemetry.log("error", "the pass failed", { error });
}

function invocationOf(context: InvocationContext): Invocation {
  return { requestId: context.awsRequestId, remainingMilliseconds: () => context.getRemainingTimeInMillis() };
}
