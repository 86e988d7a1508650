import { describe, expect, it } from "vitest";
import type { Hint } from "../../../shared/hints.ts";
import { metric } from "../../../shared/metrics.ts";
import { eventHandler, hintHandler, tickHandler } from "../../../shared/runtime/lambda.ts";
import { lambdaContext, recordingRuntime, sqsEvent } from "../../support/lambda.ts";

const hint: Hint = { kind: "node", name: "node-1", at: 1 };
const broken = async () => {
  throw new Error("broken");
};

describe("a hint handler", () => {
  it("gives the controller all hints of the batch and acknowledges them", async () => {
    const { runtime, flushes } = recordingRuntime();
    const seen: Hint[] = [];
    const handler = hintHandler(runtime, async (_ports, _settings, hints) => seen.push(...hints));
    const response = await handler(sqsEvent(JSON.stringify(hint), JSON.stringify(hint)), lambdaContext());
    expect(seen).toEqual([hint, hint]);
    expect(response).toEqual({ batchItemFailures: [] });
    expect(flushes()).toBe(1);
  });

  it("hands back a malformed message alone", async () => {
    const { runtime, counted } = recordingRuntime();
    const seen: Hint[] = [];
    const handler = hintHandler(runtime, async (_ports, _settings, hints) => seen.push(...hints));
    const response = await handler(sqsEvent("{}", JSON.stringify(hint), "not json"), lambdaContext());
    expect(seen).toEqual([hint]);
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: "m0" }, { itemIdentifier: "m2" }]);
    expect(counted).toEqual([metric.malformedMessages, metric.malformedMessages]);
  });

  it("does not run the controller when no hint is left", async () => {
    const { runtime } = recordingRuntime();
    const response = await hintHandler(runtime, broken)(sqsEvent("{}"), lambdaContext());
    expect(response.batchItemFailures).toHaveLength(1);
  });

  it("lets the queue redeliver after a failed pass, and still writes the metrics", async () => {
    const { runtime, counted, flushes } = recordingRuntime();
    await expect(hintHandler(runtime, broken)(sqsEvent(JSON.stringify(hint)), lambdaContext())).rejects.toThrow(
      "broken",
    );
    expect(counted).toEqual([metric.passFailures]);
    expect(flushes()).toBe(1);
  });

  it("acknowledges after a failed planning pass, counts it, and leaves a follow-up", async () => {
    const { runtime, sent, counted } = recordingRuntime();
    const handler = hintHandler(runtime, broken, { onFailure: "acknowledge" });
    const response = await handler(sqsEvent(JSON.stringify(hint)), lambdaContext());
    expect(response).toEqual({ batchItemFailures: [] });
    expect(counted).toEqual([metric.passFailures]);
    expect(sent).toEqual([{ hint: { kind: "provision", reason: "retry", at: 42 }, delaySeconds: 15 }]);
  });

  it("tells the ports of the invocation", async () => {
    const { runtime } = recordingRuntime();
    const handler = hintHandler(runtime, async ({ clock }) => {
      expect(clock.requestId()).toBe("request-1");
      expect(clock.remainingMilliseconds()).toBe(5_000);
    });
    await handler(sqsEvent(JSON.stringify(hint)), lambdaContext());
  });
});

describe("an event handler", () => {
  it("passes JSON on as it is", async () => {
    const { runtime } = recordingRuntime();
    const seen: unknown[] = [];
    const handler = eventHandler(runtime, async (_ports, _settings, events) => seen.push(...events));
    const response = await handler(sqsEvent('{"source":"aws.ec2"}', "<xml/>"), lambdaContext());
    expect(seen).toEqual([{ source: "aws.ec2" }]);
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: "m1" }]);
  });
});

describe("a tick handler", () => {
  it("counts a failure and crashes, so that Lambda's own error metric shows it", async () => {
    const { runtime, counted, flushes } = recordingRuntime();
    await expect(tickHandler(runtime, broken)({}, lambdaContext())).rejects.toThrow("broken");
    expect(counted).toEqual([metric.passFailures]);
    expect(flushes()).toBe(1);
  });
});
