import { boundsOf, integerOf, type NumericOperator } from "./label-integers.ts";

/**
 * A set of label values: those listed, or all but those listed, the latter perhaps within integer bounds. Canonical: a bounded set
 * always has `min` (zero at least) and excludes only values within its bounds; a listed set has no bounds.
 */
export interface ValueSet {
  /** True: every value but `values`. False: `values` alone. */
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  /** Inclusive; the value must be an integer. */
  readonly min?: number;
  /** Inclusive. */
  readonly max?: number;
}

export const noValues: ValueSet = { complement: false, values: new Set() };
export const everyValue: ValueSet = { complement: true, values: noValues.values };

export function numbersThat(operator: NumericOperator, operands: readonly string[]): ValueSet {
  const bounds = boundsOf(operator, operands);
  return bounds === undefined ? noValues : { ...everyValue, ...bounds };
}

export function hasValue({ complement, values, min, max }: ValueSet, value: string): boolean {
  return values.has(value) !== complement && isWithin(value, min, max);
}

export function isEmpty({ complement, values }: ValueSet): boolean {
  return !complement && values.size === 0;
}

export function commonValues(a: ValueSet, b: ValueSet): ValueSet {
  const min = larger(a.min, b.min);
  const max = smaller(a.max, b.max);
  if (min !== undefined && max !== undefined && min > max) {
    return noValues;
  }
  const values = valuesWithin(listedValues(a, b), min, max);
  if (!a.complement || !b.complement) {
    return { complement: false, values };
  }
  return { complement: true, values, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

/** `!isEmpty(commonValues(a, b))` without allocating: this runs for every pod on every instance type. */
export function haveCommonValue(a: ValueSet, b: ValueSet): boolean {
  if (a.complement && b.complement) {
    return (larger(a.min, b.min) ?? 0) <= (smaller(a.max, b.max) ?? Number.MAX_SAFE_INTEGER);
  }
  const aIsSmaller = !a.complement && (b.complement || a.values.size <= b.values.size);
  const other = aIsSmaller ? b : a;
  for (const value of aIsSmaller ? a.values : b.values) {
    if (hasValue(other, value)) {
      return true;
    }
  }
  return false;
}

/** What the intersection lists, before bounds: its values, or its exclusions where both sets are complements. */
function listedValues(a: ValueSet, b: ValueSet): ReadonlySet<string> {
  if (a.complement) {
    return b.complement ? a.values.union(b.values) : b.values.difference(a.values);
  }
  return b.complement ? a.values.difference(b.values) : a.values.intersection(b.values);
}

function valuesWithin(
  values: ReadonlySet<string>,
  min: number | undefined,
  max: number | undefined,
): ReadonlySet<string> {
  if (min === undefined || values.size === 0) {
    return values;
  }
  return new Set([...values].filter((value) => isWithin(value, min, max)));
}

function isWithin(value: string, min: number | undefined, max: number | undefined): boolean {
  if (min === undefined) {
    return true;
  }
  const integer = integerOf(value);
  return integer >= min && (max === undefined || integer <= max);
}

export function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
