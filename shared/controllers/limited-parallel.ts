/**
 * Runs `work` on every item, at most `limit` at a time, and returns the results in the items' order. One item's failure stops none of
 * the others: the first is thrown when all have ended.
 */
export async function limitedParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  return fulfilled(await limitedSettled(items, limit, work));
}

/** The same for callers that look at each item's failure themselves. */
export async function limitedSettled<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const queue = items.entries();
  const results: PromiseSettledResult<R>[] = [];
  const worker = async () => {
    for (const [index, item] of queue) {
      const [result] = await Promise.allSettled([work(item)]);
      results[index] = result;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** The values of results, or the first failure thrown. */
export function fulfilled<R>(results: readonly PromiseSettledResult<R>[]): readonly R[] {
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
