import type { Context, SQSEvent } from "aws-lambda";
import type { Hint } from "../../shared/hints.ts";
import type { Ports } from "../../shared/ports.ts";
import type { Runtime } from "../../shared/runtime/lambda.ts";
import { defaultSettings } from "../../shared/state/settings.ts";

/** An SQS event with these bodies; message ids are m0, m1, ... */
export function sqsEvent(...bodies: readonly string[]): SQSEvent {
  return { Records: bodies.map((body, n) => ({ messageId: `m${n}`, body })) } as SQSEvent;
}

export function lambdaContext(): Context {
  return { awsRequestId: "request-1", getRemainingTimeInMillis: () => 5_000 } as Context;
}

/** A runtime whose ports record what was sent and counted; its cluster is empty. */
export function recordingRuntime() {
  const sent: { readonly hint: Hint; readonly delaySeconds?: number }[] = [];
  const counted: string[] = [];
  let flushes = 0;
  const telemetry = { count: (metric: string) => counted.push(metric), log: () => {} };
  const hints: Ports["hints"] = {
    send: async (hint, options) => {
      sent.push({ hint, ...options });
    },
  };
  const runtime: Runtime = {
    settings: defaultSettings,
    telemetry,
    flush: () => {
      flushes += 1;
    },
    ports: ({ requestId, remainingMilliseconds }) =>
      ({
        kubernetes: { list: async () => [], get: async () => undefined },
        hints,
        telemetry,
        clock: { now: () => 42, sleep: async () => {}, remainingMilliseconds, requestId: () => requestId },
      }) as unknown as Ports,
  };
  return { runtime: () => runtime, sent, counted, flushes: () => flushes };
}
