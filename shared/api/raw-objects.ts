/** A Kubernetes object before its schema has seen it. */
export type RawObject = Readonly<Record<string, unknown>>;

/** Nesting beyond this is no Kubernetes object but an attack on the stack. */
const deepestNesting = 200;

/** String maps, where a value left empty means "" and the key still counts. */
const stringMapFields: ReadonlySet<string> = new Set(["labels", "annotations", "matchLabels", "nodeSelector"]);

export function isRawObject(value: unknown): value is RawObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path through objects and lists, or undefined. */
export function valueIn(object: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    object,
  );
}

/** The text at a path; undefined when something else stands there. */
export function textIn(object: unknown, path: readonly string[]): string | undefined {
  const value = valueIn(object, path);
  return typeof value === "string" ? value : undefined;
}

/** A copy with a value set; objects on the way are made, anything else in the way is replaced. */
export function withValue(object: RawObject, [key, ...rest]: readonly string[], value: unknown): RawObject {
  if (key === undefined) return object;
  const inner = object[key];
  return { ...object, [key]: rest.length === 0 ? value : withValue(isRawObject(inner) ? inner : {}, rest, value) };
}

/** A copy without the field at a path. */
export function withoutValue(object: RawObject, [key, ...rest]: readonly string[]): RawObject {
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  const inner = object[key];
  if (rest.length > 0) return isRawObject(inner) ? { ...object, [key]: withoutValue(inner, rest) } : object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/**
 * The value as the API server would decode it: null is the same as absent, and an empty `effect` or `operator` as well. Throws a
 * RangeError when the nesting has no end.
 */
export function asDecoded(value: unknown, depth = 0): unknown {
  if (depth > deepestNesting) throw new RangeError(`nested more than ${deepestNesting} levels deep`);
  if (Array.isArray(value)) return value.map((entry: unknown) => asDecoded(entry, depth + 1));
  if (!isRawObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): readonly (readonly [string, unknown])[] => {
    const absent = inner === null || inner === undefined || (inner === "" && (key === "effect" || key === "operator"));
    if (absent) return [];
    const decoded = stringMapFields.has(key) && isRawObject(inner) ? withEmptyTexts(inner) : inner;
    return [[key, asDecoded(decoded, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function withEmptyTexts(map: RawObject): RawObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
}
