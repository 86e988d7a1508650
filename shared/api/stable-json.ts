/**
 * JSON with sorted keys: equal data gives equal text, whatever order its keys were written in. Absent and undefined properties are
 * the same, as in `JSON.stringify`; lists keep their order. For plain data only (no cycles, no class instances).
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sortedByKey(inner) : inner)) ?? "null";
}

function sortedByKey(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
