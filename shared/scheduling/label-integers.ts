/** Integers in label values, for `Gt`, `Lt`, `Gte` and `Lte`. Label syntax has no sign, so there are no negative ones. */

export type NumericOperator = "Gt" | "Lt" | "Gte" | "Lte";

interface Bounds {
  /** Inclusive, zero at least. */
  readonly min: number;
  /** Inclusive; absent: every integer up to 2^53-1. */
  readonly max?: number;
}

/** The integer a label value is, or NaN; NaN also beyond 2^53-1, where numbers are no longer exact. Does not allocate. */
export function integerOf(value: string): number {
  let integer = value === "" ? Number.NaN : 0;
  for (let index = 0; index < value.length; index++) {
    const digit = value.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) {
      return Number.NaN;
    }
    integer = integer * 10 + digit;
  }
  return integer <= Number.MAX_SAFE_INTEGER ? integer : Number.NaN;
}

/** The bounds of one entry, or undefined when no label can meet them: also when there is not exactly one operand, an integer. */
export function boundsOf(operator: NumericOperator, operands: readonly string[]): Bounds | undefined {
  const [text = ""] = operands;
  if (operands.length !== 1 || !/^[+-]?\d+$/.test(text)) {
    return undefined;
  }
  const operand = BigInt(text.replace("+", ""));
  switch (operator) {
    case "Gt":
      return atLeast(operand + 1n);
    case "Gte":
      return atLeast(operand);
    case "Lt":
      return atMost(operand - 1n);
    case "Lte":
      return atMost(operand);
  }
}

function atLeast(bound: bigint): Bounds | undefined {
  if (bound > Number.MAX_SAFE_INTEGER) {
    return undefined;
  }
  return { min: bound < 0n ? 0 : Number(bound) };
}

function atMost(bound: bigint): Bounds | undefined {
  if (bound < 0n) {
    return undefined;
  }
  return bound < Number.MAX_SAFE_INTEGER ? { min: 0, max: Number(bound) } : { min: 0 };
}
