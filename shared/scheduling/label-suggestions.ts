import { wellKnownLabels } from "../api/labels.ts";

/** The well-known label that an unknown key was probably meant to be: same name in another domain, cut short, or mistyped. */
export function suggestLabel(key: string): string | undefined {
  const known = [...wellKnownLabels].sort();
  return (
    known.find((label) => nameOf(label) === nameOf(key)) ??
    known.find((label) => key.length > 2 && label.includes(key)) ??
    known.find((label) => editDistance(label, key) <= label.length / 5)
  );
}

function nameOf(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1);
}

/** Levenshtein: insertions, deletions and replacements of one character. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
