/**
 * One fact of many things: each value that there is once, and for each thing, in the order of their names, a letter that tells which it has.
 * A string of letters is read a hundred times as quickly as a list of numbers.
 */
interface LetterColumn {
  readonly values: readonly unknown[];
  readonly rows: string;
}

/** Letters start after all that JSON must escape; UTF-16 has room for 50,000 from there. */
const firstLetter = 93;

export function writeColumn(facts: readonly unknown[]): LetterColumn {
  const known = new Map<string, { readonly letter: string; readonly value: unknown }>();
  const letters = facts.map((value) => {
    const key = JSON.stringify(value);
    const entry = known.get(key) ?? { letter: String.fromCharCode(firstLetter + known.size), value };
    known.set(key, entry);
    return entry.letter;
  });
  return { values: [...known.values()].map(({ value }) => value), rows: letters.join("") };
}

/** The fact of a thing, by the thing's place. */
export type ColumnReader<T> = (row: number) => T;

/** Undefined when this is no such column of so many things. Every value and every letter has been looked at then. */
export function readColumn<T>(
  column: unknown,
  isValue: (value: unknown) => value is T,
  count: number,
): ColumnReader<T> | undefined {
  if (!isColumn(column)) return undefined;
  const { values, rows } = column;
  if (rows.length !== count || !values.every(isValue) || !hasOnlyLetters(rows, values.length)) return undefined;
  return (row) => {
    const value = values[rows.charCodeAt(row) - firstLetter];
    if (value === undefined) throw new RangeError(`row ${row} is none of the ${count} of the column`);
    return value;
  };
}

function isColumn(value: unknown): value is LetterColumn {
  return (
    typeof value === "object" &&
    value !== null &&
    "values" in value &&
    "rows" in value &&
    Array.isArray(value.values) &&
    typeof value.rows === "string"
  );
}

/** By a regular expression, which a cold process runs several times as quickly as a loop. */
function hasOnlyLetters(rows: string, values: number): boolean {
  if (values === 0) return rows === "";
  const hex = (code: number) => code.toString(16).padStart(4, "0");
  return new RegExp(`^[\\u${hex(firstLetter)}-\\u${hex(firstLetter + values - 1)}]*$`).test(rows);
}
