import { describe, expect, it } from "vitest";
import { parseQuantity } from "../../../shared/api/quantity.ts";

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
