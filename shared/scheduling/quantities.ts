import { binaryExponents, divideAwayFromZero, nanosPerUnit, parseQuantity } from "../api/quantity.ts";

/** In thousandths, rounded up; saturates at the largest safe integer (Kubernetes: at int64). */
export function quantityToMillis(text: string): number {
  return toSafeInteger(divideAwayFromZero(parseQuantity(text), 1_000_000n));
}

/** In whole units, rounded up; saturates at the largest safe integer (Kubernetes: at int64). */
export function quantityToWhole(text: string): number {
  return toSafeInteger(divideAwayFromZero(parseQuantity(text), nanosPerUnit));
}

/** Thousandths as a quantity: `1930m`, or `2` when they make whole units. */
export function formatMillis(millis: number): string {
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

/** Bytes in the largest binary unit that is exact (`512Mi`), else as a plain number. */
export function formatBytes(bytes: number): string {
  const exact = Object.entries(binaryExponents).findLast(
    ([, exponent]) => bytes !== 0 && bytes % 2 ** Number(exponent) === 0,
  );
  return exact === undefined ? String(bytes) : `${bytes / 2 ** Number(exact[1])}${exact[0]}`;
}

function toSafeInteger(value: bigint): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)));
}
