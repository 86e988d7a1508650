/** The candidate that was most likely meant by a misspelt word: close in edits, letter case ignored. Undefined when none is close. */
export function closestWord(word: string, candidates: Iterable<string>): string | undefined {
  const tolerated = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > tolerated) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= tolerated && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
