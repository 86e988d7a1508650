/** Whether two values of JSON are equal. (Node's own comparison, made for every kind of object, takes several times as long.) */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  let keys = 0;
  for (const key in one) {
    if (!isEqual(one[key], other[key])) return false;
    keys += 1;
  }
  for (const _ in other) keys -= 1;
  return keys === 0;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
