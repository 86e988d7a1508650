/**
 * Kubernetes quantities, exactly: integer arithmetic on nano-units, never floating point. Rounding goes away from zero, as
 * `resource.Quantity` does, so that a request is never read as less than was asked for.
 */

export const nanosPerUnit = 1_000_000_000n;
/** Kubernetes caps a quantity at the largest int64 of whole units. */
const largestNanos = (2n ** 63n - 1n) * nanosPerUnit;

/** Powers of two. */
export const binaryExponents: Readonly<Record<string, bigint>> = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const quantityPattern = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

/**
 * A quantity in nano-units (1e-9), exact; finer fractions round up to one nano-unit, and anything beyond int64 saturates there.
 * `1E` is an exa, `1E3` and `1e3` a thousand.
 * @throws RangeError that names the text when it is no quantity.
 */
export function parseQuantity(text: string): bigint {
  const match = quantityPattern.exec(text);
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match ?? [];
  const digits = whole + fraction;
  if (digits === "") {
    throw new RangeError(
      `"${text}" is not a quantity: expected a number with an optional suffix such as 500m, 2 or 1.5Gi`,
    );
  }
  const mantissa = BigInt(digits) << (binaryExponents[suffix] ?? 0n);
  const nanos = scaleByTen(mantissa, 9 + decimalExponent(suffix) - fraction.length);
  const capped = nanos > largestNanos ? largestNanos : nanos;
  return sign === "-" ? -capped : capped;
}

function decimalExponent(suffix: string): number {
  return decimalExponents[suffix] ?? (/^[eE]./.test(suffix) && !suffix.endsWith("i") ? Number(suffix.slice(1)) : 0);
}

/** mantissa * 10^exponent for a mantissa of zero or more. Exponents far out of range are not computed: `1e999999999` is valid text. */
function scaleByTen(mantissa: bigint, exponent: number): bigint {
  if (mantissa === 0n) {
    return 0n;
  }
  if (exponent >= 0) {
    return exponent > 28 ? largestNanos : mantissa * 10n ** BigInt(exponent);
  }
  const digits = mantissa.toString().length;
  return -exponent > digits ? 1n : divideAwayFromZero(mantissa, 10n ** BigInt(-exponent));
}

/** Rounds as `resource.Quantity` does, for either sign. */
export function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) {
    return quotient;
  }
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}
