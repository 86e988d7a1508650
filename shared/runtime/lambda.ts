import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Hint } from "../hints.ts";
import { metric } from "../metrics.ts";
import type { ClockPort, Ports, TelemetryPort } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
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
   */
  readonly onFailure: "redeliver" | "acknowledge";
}

const followUpSeconds = 15;

/** A handler for a queue of hints. A malformed message goes back alone and ends in the dead-letter queue. */
export function hintHandler(
  runtime: () => Runtime,
  run: (ports: Ports, settings: Settings, hints: readonly Hint[]) => Promise<unknown>,
  options: HintHandlerOptions = { onFailure: "redeliver" },
): QueueHandler {
  return batchHandler(runtime, parseHint, async (ports, settings, hints) => {
    try {
      await run(ports, settings, hints);
    } catch (error) {
      countFailure(ports.telemetry, error);
      if (options.onFailure === "redeliver") throw error;
      const followUp: Hint = { kind: "provision", reason: "retry", at: ports.clock.now() };
      await ports.hints.send(followUp, { delaySeconds: followUpSeconds });
    }
  });
}

/** A handler for a queue of events that are not hints: each goes on as the JSON it is. */
export function eventHandler(
  runtime: () => Runtime,
  run: (ports: Ports, settings: Settings, events: readonly unknown[]) => Promise<unknown>,
): QueueHandler {
  return batchHandler(runtime, parseEvent, async (ports, settings, events) => {
    try {
      await run(ports, settings, events);
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
  return async (_event, context) => {
    const { settings, telemetry, ports, flush } = runtime();
    try {
      await run(ports(invocationOf(context)), settings);
    } catch (error) {
      countFailure(telemetry, error);
      throw error;
    } finally {
      flush();
    }
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
