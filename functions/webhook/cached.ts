/** The last result of `make` for as long as it is fresh, one call at a time. A failure is not kept. `now` is in epoch milliseconds. */
export function cached<T>(make: () => Promise<T>, freshMilliseconds: number, now: () => number): () => Promise<T> {
  let kept: { readonly result: Promise<T>; readonly untilAt: number } | undefined;
  return () => {
    if (kept === undefined || now() >= kept.untilAt) {
      const result = make();
      const made = { result, untilAt: now() + freshMilliseconds };
      kept = made;
      result.catch(() => {
        if (kept === made) kept = undefined;
      });
    }
    return kept.result;
  };
}
