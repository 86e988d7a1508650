import { describe, expect, it } from "vitest";
import {
  afterCall,
  drained,
  formatBudget,
  fullBudget,
  parseBudget,
  refilled,
  reserved,
  secondsUntilCall,
} from "../../../shared/cloud/request-budget.ts";

const startAt = Date.UTC(2026, 0, 1);

describe("the budget of requests", () => {
  it("has five calls at once, and two more each second", () => {
    let budget = fullBudget(startAt);
    for (let call = 0; call < 5; call++) budget = afterCall(budget, 1, startAt);
    expect(secondsUntilCall(budget, startAt)).toBe(1);
    expect(secondsUntilCall(budget, startAt + 500)).toBe(0);
    expect(refilled(budget, startAt + 60_000)).toMatchObject({ requests: 5, instances: 1_000 });
  });

  it("is refilled from now on where a clock that was ahead has written it", () => {
    const ahead = formatBudget({ requests: 0, instances: 10, at: startAt + 3_600_000 });
    expect(parseBudget(ahead, startAt)).toEqual({ requests: 0, instances: 10, at: startAt });
    expect(secondsUntilCall(parseBudget(ahead, startAt), startAt + 1_000)).toBe(0);
  });

  it("has a thousand instances, and two more each second", () => {
    const budget = afterCall(fullBudget(startAt), 1_000, startAt);
    expect(secondsUntilCall(budget, startAt)).toBe(1);
    expect(refilled(budget, startAt + 10_000).instances).toBe(20);
  });

  it("counts a call from when its answer came, as EC2 may have counted it that late", () => {
    const early = afterCall(fullBudget(startAt), 1, startAt);
    const late = afterCall(fullBudget(startAt), 1, startAt + 2_000);
    expect(late.requests).toBe(refilled(early, startAt).requests);
    expect(refilled(early, startAt + 2_000).requests).toBeGreaterThan(late.requests);
  });

  it("is empty after a refusal for want of tokens", () => {
    expect(secondsUntilCall(drained(fullBudget(startAt), startAt), startAt)).toBe(1);
  });

  it("is kept between passes, rounded down, and readable", () => {
    const budget = afterCall(afterCall(fullBudget(startAt), 7, startAt), 0, startAt + 333);
    const text = formatBudget(budget);
    expect(JSON.parse(text)).toEqual({ at: "2026-01-01T00:00:00.333Z", requests: 3.66, instances: 993.66 });
    expect(parseBudget(text, 0).requests).toBeLessThanOrEqual(budget.requests);
  });

  it("is taken in advance, so that a pass that crashes has used all of it", () => {
    expect(reserved(fullBudget(startAt), 300, startAt)).toEqual({ requests: 0, instances: 700, at: startAt });
  });

  it.each([undefined, "", "{}", "nonsense"])("is full where %j is written", (text) => {
    expect(parseBudget(text, startAt)).toEqual(fullBudget(startAt));
  });
});
