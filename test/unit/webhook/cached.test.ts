import { describe, expect, it } from "vitest";
import { cached } from "../../../functions/webhook/cached.ts";

describe("a cached result", () => {
  it("is made once while it is fresh, even for callers at the same time", async () => {
    let [calls, now] = [0, 0];
    const read = cached(
      async () => ++calls,
      30,
      () => now,
    );
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    now = 29;
    expect(await read()).toBe(1);
    now = 30;
    expect(await read()).toBe(2);
  });

  it("is asked for again after a failure", async () => {
    let calls = 0;
    const read = cached(
      async () => {
        calls += 1;
        if (calls === 1) throw new Error("busy");
        return calls;
      },
      30,
      () => 0,
    );
    await expect(read()).rejects.toThrow("busy");
    expect(await read()).toBe(2);
  });
});
