/**
 * JSON with sorted keys: equal data gives equal text, whatever order its keys were written in. Absent and undefined properties are
 * the same, as in `JSON.stringify`; lists keep their order. For plain data only (no cycles, no class instances).
 */
export function stableJson(value: unknown): string {
  return textOf(value) ?? "null";
}

/** Undefined for what JSON cannot say. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return textOfList(value);
  return isObject(value) ? textOfObject(value) : JSON.stringify(value);
}

/** Loops, because every pod is read through here. */
function textOfList(list: readonly unknown[]): string {
  let text = "";
  for (const value of list) text += `${text === "" ? "" : ","}${textOf(value) ?? "null"}`;
  return `[${text}]`;
}

function textOfObject(object: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const key of inOrder(Object.keys(object))) {
    const value = textOf(object[key]);
    if (value !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${value}`;
  }
  return `{${text}}`;
}

/** Keys that are whole numbers come first, by size, as in every object. */
function inOrder(keys: string[]): readonly string[] {
  if (keys.length < 2) return keys;
  keys.sort();
  return keys.some(isNumeral) ? Object.keys(Object.fromEntries(keys.map((key) => [key, key]))) : keys;
}

function isNumeral(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= zero && first <= nine;
}

const zero = "0".charCodeAt(0);
const nine = "9".charCodeAt(0);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
