import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuantity } from "../../shared/api/quantity.ts";
import { formatBytes, formatMillis, quantityToMillis, quantityToWhole } from "../../shared/scheduling/quantities.ts";
import {
  addResources,
  firstShortage,
  fits,
  formatResources,
  maxResources,
  parseResources,
  subtractResources,
} from "../../shared/scheduling/resources.ts";

const nano = 10n ** 9n;
const multipliers: readonly (readonly [suffix: string, numerator: bigint, denominator: bigint])[] = [
  ["", 1n, 1n],
  ...["n", "u", "m"].map((suffix, index) => [suffix, 1n, 10n ** BigInt(9 - 3 * index)] as const),
  ...["k", "M", "G", "T", "P", "E"].map((suffix, index) => [suffix, 10n ** BigInt(3 * index + 3), 1n] as const),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((suffix, index) => [suffix, 2n ** BigInt(10 * index + 10), 1n] as const),
  ...["e3", "E3", "e+12"].map((suffix) => [suffix, 10n ** BigInt(suffix.slice(1)), 1n] as const),
  ...["e-3", "E-12"].map((suffix) => [suffix, 1n, 10n ** BigInt(suffix.slice(2))] as const),
];
const digits = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { maxLength }).map((list) => list.join(""));
const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const vector = fc.dictionary(fc.constantFrom("cpu", "memory", "pods", "x.io/a"), fc.integer({ min: 0, max: 2 ** 40 }), {
  noNullPrototype: true,
});

describe("quantities", () => {
  it("equal the rational number that is written, rounded away from zero, capped at int64", () => {
    const written = fc.tuple(fc.constantFrom("", "+", "-"), digits(12), digits(14), fc.constantFrom(...multipliers));
    fc.assert(
      fc.property(written, ([sign, whole, fraction, [suffix, numerator, denominator]]) => {
        fc.pre(whole + fraction !== "");
        const top = BigInt(whole + fraction) * numerator * nano;
        const bottom = 10n ** BigInt(fraction.length) * denominator;
        const ceiling = (top + bottom - 1n) / bottom;
        const cap = (2n ** 63n - 1n) * nano;
        const expected = ceiling > cap ? cap : ceiling;
        expect(parseQuantity(`${sign}${whole}.${fraction}${suffix}`)).toBe(sign === "-" ? -expected : expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("come back the same from their formats", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 52 }), (number, shift) => {
        expect(quantityToMillis(formatMillis(number))).toBe(number);
        expect(quantityToWhole(formatBytes(number))).toBe(number);
        expect(quantityToWhole(formatBytes(2 ** shift))).toBe(2 ** shift);
      }),
    );
  });
});

describe("resource vectors", () => {
  it("come back the same from a resource list", () => {
    fc.assert(
      fc.property(vector, (resources) => {
        expect(parseResources(formatResources(resources))).toEqual(resources);
      }),
    );
  });

  it("fit exactly when nothing is short, and what is short is more than there is", () => {
    fc.assert(
      fc.property(vector, vector, (requests, available) => {
        const shortage = firstShortage(requests, available);
        expect(fits(requests, available)).toBe(shortage === undefined);
        if (shortage !== undefined) {
          expect(requests[shortage]).toBeGreaterThan(available[shortage] ?? 0);
        }
      }),
    );
  });

  it("fit into themselves, into more, and into the largest of several", () => {
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        expect(fits(a, a)).toBe(true);
        expect(fits(a, addResources(a, b))).toBe(true);
        expect(fits(a, maxResources(a, b))).toBe(true);
      }),
    );
  });

  it("fit together when the second fits into what the first leaves", () => {
    fc.assert(
      fc.property(vector, vector, vector, (a, b, available) => {
        const together = fits(addResources(a, b), available);
        expect(fits(a, available) && fits(b, subtractResources(available, a))).toBe(together);
      }),
    );
  });
});
