import { describe, expect, it } from "vitest";
import type { Invocation } from "../../../shared/simulator/invocation.ts";
import { LambdaFunction, type LambdaFunctionOptions } from "../../../shared/simulator/lambda.ts";
import { virtualTime } from "../../support/simulated-aws.ts";

function lambda(options: Partial<LambdaFunctionOptions<string>>) {
  const time = virtualTime();
  const full = { name: "planner", timeoutSeconds: 60, initialize: () => async () => undefined, ...options };
  return { ...time, planner: new LambdaFunction<string>(full, time.loop, time.random) };
}

describe("LambdaFunction", () => {
  it("returns what the handler returns and keeps the environment warm for ten minutes", async () => {
    const initialize = () => {
      let calls = 0;
      return async (payload: string) => `${payload} ${++calls}`;
    };
    const { planner, settle, advance } = lambda({ initialize });
    expect(await settle(planner.invoke("a"))).toEqual({ kind: "returned", value: "a 1" });
    expect(await settle(planner.invoke("b"))).toEqual({ kind: "returned", value: "b 2" });
    await advance(600_000);
    expect(await settle(planner.invoke("c"))).toEqual({ kind: "returned", value: "c 1" });
    expect(planner.coldStarts).toBe(2);
  });

  it("starts another environment for an invocation while the first is busy", async () => {
    const { planner, loop, settle } = lambda({ initialize: () => () => loop.sleep(1_000) });
    await settle(Promise.all([planner.invoke("a"), planner.invoke("b")]));
    expect(planner.coldStarts).toBe(2);
  });

  it("kills an invocation at its deadline, whatever its code does afterwards, and starts cold next", async () => {
    const seen: Invocation[] = [];
    const { planner, loop, settle, advance } = lambda({
      timeoutSeconds: 10,
      initialize: () => async (_payload, invocation) => {
        seen.push(invocation);
        await loop.sleep(11_000);
        return "too late";
      },
    });
    const outcome = await settle(planner.invoke("a"));
    expect(outcome).toMatchObject({
      kind: "failed",
      because: "killed",
      error: { message: "planner: timed out after 10 s" },
    });
    expect(loop.now()).toBe(seen[0]?.deadlineAt);
    await advance(5_000);
    await settle(planner.invoke("b"));
    expect(planner.coldStarts).toBe(2);
    expect(seen[0]?.requestId).not.toBe(seen[1]?.requestId);
  });

  it("reports an error of the handler and keeps the environment", async () => {
    const failures: unknown[] = [];
    const { planner, settle } = lambda({
      initialize: () => () => {
        throw new Error("a bug");
      },
      onFailure: ({ because, error }) => failures.push([because, error]),
    });
    await settle(planner.invoke("a"));
    await settle(planner.invoke("b"));
    expect(failures).toEqual([
      ["error", new Error("a bug")],
      ["error", new Error("a bug")],
    ]);
    expect(planner.coldStarts).toBe(1);
  });

  it("retries a failed asynchronous invocation twice, after one and two minutes", async () => {
    const at: number[] = [];
    const { planner, loop, settle } = lambda({
      initialize: () => async () => {
        at.push(loop.now());
        throw new Error("down");
      },
    });
    await settle(planner.invokeAsync("a"));
    const pauses = at.slice(1).map((time, index) => Math.floor((time - (at[index] ?? 0)) / 1000));
    expect(pauses).toEqual([60, 120]);
  });
});
