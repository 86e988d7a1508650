/** One thing that is wrong with an input file, and what would be right. */
export interface Problem {
  readonly file: string;
  /** 1-based, as `---` separates them; 0 when the whole file is meant. */
  readonly document: number;
  /** Field, such as `spec.limits.cpu`, or `line 3, column 5` where there are no fields yet; may be empty. */
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

/** Where an object was read. */
export interface Place {
  readonly name: string;
  /** 1-based. */
  readonly document: number;
  /** Index in the `items` of a List, as in the path `items[2]`; one for each List, as they may stand in one another. */
  readonly items?: readonly number[];
}

/** One line: `pool.yaml, document 2, spec.limits.cpu: found "-1", expected ...`. */
export function describeProblem({ file, document, path, found, expected }: Problem): string {
  const where = [file, ...(document > 0 ? [`document ${document}`] : []), ...(path === "" ? [] : [path])];
  return `${where.join(", ")}: found ${found}, expected ${expected}`;
}

/** `dump.yaml, document 1, items[2]`. */
export function describePlace(place: Place): string {
  const path = formatPath(pathOf(place));
  return `${place.name}, document ${place.document}${path === "" ? "" : `, ${path}`}`;
}

/** A problem with an object: paths are the object's, and gain the object's own place in a List. */
export function problemAt(place: Place, path: readonly PropertyKey[], found: string, expected: string): Problem {
  return { file: place.name, document: place.document, path: formatPath([...pathOf(place), ...path]), found, expected };
}

function pathOf({ items = [] }: Place): readonly PropertyKey[] {
  return items.flatMap((item) => ["items", item]);
}

/** `spec.requirements[2].operator`; keys that are no plain words stand in brackets: `labels["app.kubernetes.io/name"]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const key = String(part);
    if (!/^[\w-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

/** A value as it was written, short enough for one line; numbers that JSON has no text for in words. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number" && !Number.isFinite(value)) return endlessNumber(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** YAML has `.inf` and `.nan`, and reads `1e400` as infinity. */
function endlessNumber(value: number): string {
  return Number.isNaN(value) ? "a value that is not a number" : value < 0 ? "minus infinity" : "infinity";
}
