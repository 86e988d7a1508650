import { annotation } from "../api/labels.ts";
import type { ObjectMeta } from "../api/schema.ts";
import { parsedRecord } from "./json-annotation.ts";

/** Where a stepped object stands: a hint runs only if it names `n`, and the next is due at `dueAt` (design rule 7). */
export interface Step {
  readonly n: number;
  readonly dueAt: number;
}

/** An object without the annotation stands before its first step. */
const firstStep: Step = { n: 0, dueAt: 0 };

export function stepOf(object: { readonly metadata: ObjectMeta }): Step {
  const { n, dueAt } = parsedRecord(object.metadata.annotations?.[annotation.step]);
  return typeof n === "number" && typeof dueAt === "number" ? { n, dueAt } : firstStep;
}

export function formatStep(step: Step): string {
  return JSON.stringify(step);
}
