import type { RawObject } from "../../../shared/api/raw-objects.ts";

/** Who refuses an object. `runtime`: the CRD lets it in, and the controller finds the fault; `server`: a file may still say it. */
type Verdict = "accepted" | "rejected" | "runtime" | "server";

/** An object, or a change of one, with what becomes of it at an API server under the CRDs, and by our own validation. */
export interface ApiCase {
  readonly manifest: RawObject;
  readonly verdict: Verdict;
  /** Where our own validation finds the fault. */
  readonly at?: string;
  /** A merge patch of the object's spec: the verdict is about the update. */
  readonly update?: RawObject;
  /** What the stored object holds at a path. */
  readonly stored?: readonly (readonly [path: readonly string[], value: unknown])[];
}

/** Cases by the text of the row that they are of (test/conformance/cases.txt). */
export type ApiRows = Readonly<Record<string, readonly ApiCase[]>>;

export function accepted(manifest: RawObject, stored?: ApiCase["stored"]): ApiCase {
  return { manifest, verdict: "accepted", ...(stored && { stored }) };
}

export function rejected(at: string, manifest: RawObject): ApiCase {
  return { manifest, verdict: "rejected", at };
}

/** Accepted by the CRD, and found by the controller. */
export function atRuntime(at: string, manifest: RawObject): ApiCase {
  return { manifest, verdict: "runtime", at };
}

/** Refused by the server, though a file that says it is read with a note. */
export function byServer(at: string, manifest: RawObject): ApiCase {
  return { manifest, verdict: "server", at };
}

/** An object that is stored, and then changed. */
export function updated(manifest: RawObject, update: RawObject, at?: string): ApiCase {
  return { manifest, update, ...(at === undefined ? { verdict: "accepted" } : { verdict: "rejected", at }) };
}
