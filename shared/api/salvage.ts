import { isRawObject, type RawObject } from "./raw-objects.ts";

type Path = readonly PropertyKey[];

/** What a schema makes of an object, or what it has against it. */
type Reading<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: readonly { readonly path: Path }[] } };

/** Beyond so many fields nobody minds what else there is to say. */
const mostTurns = 50;

/**
 * What a schema makes of an object without the fields that it refuses, so that rules beyond types can be looked at all the same;
 * undefined when nothing is left. Entries of lists keep their numbers: where one is at fault as a whole, its list goes.
 */
export function salvaged<T>(object: RawObject, read: (object: RawObject) => Reading<T>): T | undefined {
  let rest = object;
  for (let turn = 0; turn < mostTurns; turn++) {
    const reading = read(rest);
    if (reading.success) return reading.data;
    // The first alone: what is said of others may be about a part that goes with it.
    const left = withoutField(rest, reading.error.issues[0]?.path ?? []);
    if (!isRawObject(left)) return undefined;
    rest = left;
  }
  return undefined;
}

/** Whether a rule speaks of a part that a schema has refused, or of what is around one: it may only miss what was taken away. */
export function isAboutRefused(path: Path, issues: readonly { readonly path: Path }[]): boolean {
  return issues.some(({ path: refused }) => path.every((key, index) => key === refused[index]));
}

/** A copy without the innermost field on a path that is there and no entry of a list; undefined when there is none. */
function withoutField(value: unknown, [key, ...rest]: Path): unknown {
  if (Array.isArray(value) && typeof key === "number") {
    const entry = withoutField(value[key], rest);
    return entry === undefined ? undefined : value.with(key, entry);
  }
  if (!isRawObject(value) || key === undefined) return undefined;
  const name = String(key);
  if (!Object.hasOwn(value, name)) return undefined;
  const inner = withoutField(value[name], rest);
  const others = Object.entries(value).filter(([field]) => field !== name);
  return Object.fromEntries(inner === undefined ? others : [...others, [name, inner]]);
}
