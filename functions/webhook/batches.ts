interface BatchLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Cuts a list into runs that keep both limits. An item that is too large by itself is a run of its own. */
export function batches<T>(items: readonly T[], bytesOf: (item: T) => number, limits: BatchLimits): T[][] {
  const runs: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = bytesOf(item);
    const last = runs.at(-1);
    if (last === undefined || last.length === limits.entries || bytes + size > limits.bytes) {
      runs.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return runs;
}
