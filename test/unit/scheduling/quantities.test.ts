import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatMillis,
  parseQuantity,
  quantityToMillis,
  quantityToWhole,
} from "../../../shared/scheduling/quantities.ts";

const nano = 1_000_000_000n;

describe("parseQuantity", () => {
  it.each([
    ["0", 0n],
    ["2", 2n * nano],
    ["+2", 2n * nano],
    ["-2", -2n * nano],
    [".5", nano / 2n],
    ["2.", 2n * nano],
    ["100m", nano / 10n],
    ["3u", 3_000n],
    ["7n", 7n],
    ["1k", 1_000n * nano],
    ["1Ki", 1_024n * nano],
    ["1.5Gi", 3n * 2n ** 29n * nano],
    ["1T", 10n ** 12n * nano],
    ["1Ei", 2n ** 60n * nano],
    ["1E", 10n ** 18n * nano],
    ["1E3", 1_000n * nano],
    ["1e3", 1_000n * nano],
    ["1e+3", 1_000n * nano],
    ["1.5e-3", 1_500_000n],
    ["0.1Ki", 102_400_000_000n],
  ])("reads %s exactly", (text, nanos) => {
    expect(parseQuantity(text)).toBe(nanos);
  });

  it("rounds what is finer than a nano-unit away from zero", () => {
    expect(parseQuantity("0.1n")).toBe(1n);
    expect(parseQuantity("-0.1n")).toBe(-1n);
    expect(parseQuantity("1e-999999999")).toBe(1n);
    expect(parseQuantity("0e-999999999")).toBe(0n);
  });

  it("saturates at int64, also for exponents nobody could compute", () => {
    const largest = (2n ** 63n - 1n) * nano;
    expect(parseQuantity("10E")).toBe(largest);
    expect(parseQuantity("1e999999999")).toBe(largest);
    expect(parseQuantity("-1e999999999")).toBe(-largest);
  });

  it.each(["", ".", "m", "1e", "1 Gi", "1gi", "1KI", "0x10", "1.2.3", "--1", "1mi", "NaN"])("refuses %j", (text) => {
    expect(() => parseQuantity(text)).toThrow(`"${text}" is not a quantity`);
  });
});

describe("numbers of quantities", () => {
  it("round a fraction up", () => {
    expect(quantityToMillis("0.0001")).toBe(1);
    expect(quantityToMillis("1.93")).toBe(1930);
    expect(quantityToWhole("100m")).toBe(1);
    expect(quantityToWhole("1.5Ki")).toBe(1536);
  });

  it("saturate at the largest safe integer", () => {
    expect(quantityToWhole("8Ei")).toBe(Number.MAX_SAFE_INTEGER);
    expect(quantityToMillis("10P")).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("formatting", () => {
  it("writes millis as whole units where they are", () => {
    expect([0, 250, 1930, 2000].map(formatMillis)).toEqual(["0", "250m", "1930m", "2"]);
  });

  it("writes bytes in the largest unit that is exact", () => {
    expect([0, 1000, 1024, 1536, 2 ** 30, 3 * 2 ** 29, -2048].map(formatBytes)).toEqual([
      "0",
      "1000",
      "1Ki",
      "1536",
      "1Gi",
      "1536Mi",
      "-2Ki",
    ]);
  });
});
