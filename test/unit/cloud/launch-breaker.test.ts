import { describe, expect, it } from "vitest";
import {
  closesAtLaunch,
  describeBreaker,
  formatBreaker,
  isOpen,
  type LaunchBreaker,
  openedBreaker,
  parseBreaker,
} from "../../../shared/cloud/launch-breaker.ts";

const error = { code: "UnauthorizedOperation", reason: "Unauthorized", message: "not allowed" };
const startAt = Date.UTC(2026, 0, 1);

function failing(times: number): LaunchBreaker {
  let breaker = openedBreaker(undefined, "default", error, startAt);
  for (let count = 1; count < times; count++) breaker = openedBreaker(breaker, "default", error, startAt);
  return breaker;
}

describe("a launch breaker", () => {
  it("rests for a minute, then twice as long each time, for an hour at most", () => {
    const minutes = [1, 2, 3, 6, 7, 20].map((times) => (failing(times).untilAt - startAt) / 60_000);
    expect(minutes).toEqual([1, 2, 4, 32, 60, 60]);
  });

  it("is open until its time, and lets one launch try then", () => {
    expect([startAt, startAt + 59_999, startAt + 60_000].map((now) => isOpen(failing(1), now))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isOpen(undefined, startAt)).toBe(false);
  });

  it("closes with a launch that EC2 accepts, unless the instances die after that", () => {
    expect(closesAtLaunch(failing(1))).toBe(true);
    expect(closesAtLaunch({ ...failing(1), code: "Client.InternalError" })).toBe(false);
  });

  it("is read back as it was written, and says to people what is wrong and until when", () => {
    const breaker = failing(2);
    expect(parseBreaker("default", formatBreaker(breaker))).toEqual(breaker);
    expect(JSON.parse(formatBreaker(breaker))).toMatchObject({ failures: 2, until: "2026-01-01T00:02:00.000Z" });
    expect(parseBreaker("default", "{}")).toBeUndefined();
    expect(describeBreaker(breaker)).toBe(
      "The last 2 launches failed: UnauthorizedOperation: not allowed; the next is tried at 2026-01-01T00:02:00.000Z",
    );
  });
});
