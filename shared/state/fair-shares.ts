/**
 * What each of some that want a number of things gets of `total`: all, as long as there is enough; else equal shares, so that none
 * keeps the others waiting, and what the modest leave goes to the greedy.
 */
export function fairShares(wanted: ReadonlyMap<string, number>, total: number): ReadonlyMap<string, number> {
  const modestFirst = [...wanted].sort(([a, countA], [b, countB]) => countA - countB || (a < b ? -1 : 1));
  let left = total;
  return new Map(
    modestFirst.map(([name, count], index) => {
      const share = Math.min(count, Math.floor(left / (modestFirst.length - index)));
      left -= share;
      return [name, share];
    }),
  );
}
