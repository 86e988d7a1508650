import type { PackingItem, PackingProblem } from "./problem.ts";

/** Those of the items that the same columns accept in the same zones, together, in the order of their first members. */
export function equalChoices(problem: PackingProblem, items: readonly number[]): readonly (readonly number[])[] {
  const buckets = Map.groupBy(items, (item) => choicesKey(problem.items[item]));
  return [...buckets.values()].flatMap((bucket) => {
    const groups: number[][] = [];
    for (const item of bucket) {
      const group = groups.find(([first = -1]) => acceptSame(problem.items[first], problem.items[item]));
      if (group === undefined) groups.push([item]);
      else group.push(item);
    }
    return groups;
  });
}

/** Equal for items with equal choices, and seldom for others. */
export function choicesKey(item: PackingItem | undefined): string {
  let sum = 0;
  const { accepts, zoneMask } = item ?? { accepts: new Uint8Array(), zoneMask: 0 };
  for (let index = 0; index < accepts.length; index++) sum = (Math.imul(sum, 31) + (accepts[index] ?? 0)) | 0;
  return `${zoneMask} ${sum}`;
}

function acceptSame(a: PackingItem | undefined, b: PackingItem | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  for (let column = 0; column < a.accepts.length; column++) if (a.accepts[column] !== b.accepts[column]) return false;
  return true;
}
