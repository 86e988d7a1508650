/**
 * Annotations that hold JSON can be edited by anyone: text that is not what was written reads as nothing, and the reader falls back
 * to what it would do without the annotation.
 */
export function parsedJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The members of a JSON object, or none. */
export function parsedRecord(text: string | undefined): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
