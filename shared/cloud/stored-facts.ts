import * as z from "zod";
import { isTime, parseTime } from "../api/time.ts";

/** A text that holds JSON, such as a ConfigMap's value (design rule 4). What cannot be read is no fact, and no reason to stop anything. */
export function storedJson<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue("expected JSON");
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** A time as people read it, kept as epoch milliseconds. */
export const storedTime = z
  .string()
  .refine(isTime, "expected a time such as 2026-01-31T12:00:00Z")
  .transform(parseTime);

/**
 * So many facts of some 150 bytes stay below the 512 KiB that one ConfigMap of ours may have, with room for the keys that several
 * writers add between two sweeps.
 */
export const mostStoredFacts = 2_500;
