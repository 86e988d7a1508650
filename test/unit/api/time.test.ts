import { describe, expect, it } from "vitest";
import { formatTime, parseDuration, parseTime } from "../../../shared/api/time.ts";

describe("parseDuration", () => {
  it.each([
    ["720h", 2_592_000],
    ["1h30m", 5_400],
    ["1.5h", 5_400],
    ["0s", 0],
    ["0", 0],
    ["250ms", 0.25],
    ["-1m", -60],
  ])("reads %s as %s seconds", (text, seconds) => {
    expect(parseDuration(text)).toBeCloseTo(seconds, 9);
  });

  it.each(["Never", "", "30", "1d", "h", "1h 30m", "true", "."])("has no seconds for %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe("parseTime", () => {
  it("reads the times that Kubernetes writes, with and without fractions", () => {
    expect(parseTime("2026-01-31T12:00:00Z")).toBe(Date.UTC(2026, 0, 31, 12));
    expect(parseTime("2026-01-31T12:00:00.250000Z")).toBe(Date.UTC(2026, 0, 31, 12, 0, 0, 250));
    expect(parseTime("2026-01-31T13:00:00+01:00")).toBe(Date.UTC(2026, 0, 31, 12));
  });

  it.each(["2026-01-31", "yesterday", "2026-13-01T00:00:00Z"])("refuses %s by name", (text) => {
    expect(() => parseTime(text)).toThrow(text);
  });

  it("gives back what formatTime wrote", () => {
    const at = Date.UTC(2026, 5, 1, 2, 3, 4, 5);
    expect(parseTime(formatTime(at))).toBe(at);
  });
});
