import type * as z from "zod";

/** A rule that a well-typed value breaks. `expected` completes "found ..., expected ...". */
export interface Fault {
  /** From the value that the rule looks at to the part at fault. */
  readonly path: readonly (string | number)[];
  readonly expected: string;
  /** What was found, in words, where the value itself does not tell. */
  readonly found?: string;
}

/** The schema with a rule beyond types. Faults become issues with code `custom`; the types stay as they are. */
export function withRule<S extends z.ZodType>(schema: S, rule: (value: z.output<S>) => readonly Fault[]): S {
  return schema.superRefine((value, context) => {
    for (const { path, expected, found } of rule(value)) {
      context.addIssue({
        code: "custom",
        path: [...path],
        message: `expected ${expected}`,
        ...(found === undefined ? {} : { params: { found } }),
      });
    }
  });
}

/** The fault of one part, or none: for checks that answer with what they expected. */
export function fault(path: Fault["path"], expected: string | undefined, found?: string): readonly Fault[] {
  if (expected === undefined) return [];
  return [found === undefined ? { path, expected } : { path, expected, found }];
}

/** The faults of a part, with paths from the whole. */
export function within(path: Fault["path"], faults: readonly Fault[]): readonly Fault[] {
  return faults.map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
}

/** The second and later of entries that say the same thing. */
export function duplicates<T>(entries: readonly T[], keyOf: (entry: T) => string): readonly number[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, index) => {
    const key = keyOf(entry);
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}
