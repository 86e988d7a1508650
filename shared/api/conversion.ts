import { type RawObject, valueIn, withoutValue, withValue } from "./raw-objects.ts";
import type { Fault } from "./rules.ts";

export type Path = readonly string[];

/** Kubelet settings that a v1beta1 NodePool carries and v1 keeps on the class. */
export interface MovedKubelet {
  readonly nodeClass: string;
  readonly settings: RawObject;
}

/** An object on its way to v1, with how it was read and what could not be. */
export interface Conversion {
  readonly object: RawObject;
  /** One clause for each thing that is not read as it is written. */
  readonly notes: readonly string[];
  /** Paths are from the object's root. */
  readonly faults: readonly Fault[];
  readonly kubelet?: MovedKubelet;
}

/** One rule of a conversion; an object that it does not concern comes back as it is. */
export type Step = (conversion: Conversion) => Conversion;

/** The conversion with a changed object, and a note on why. */
export function changed(conversion: Conversion, object: RawObject, note: string): Conversion {
  return { ...conversion, object, notes: [...conversion.notes, note] };
}

/** The conversion without a field that means nothing. */
export function dropped(conversion: Conversion, path: Path, note: string): Conversion {
  if (valueIn(conversion.object, path) === undefined) return conversion;
  return changed(conversion, withoutValue(conversion.object, path), `${path.join(".")} ${note}`);
}

/** The conversion with a field under its present name. What already stands under that name wins. */
export function moved(conversion: Conversion, from: Path, to: Path, convert = (value: unknown) => value): Conversion {
  const value = valueIn(conversion.object, from);
  if (value === undefined) return conversion;
  const rest = withoutValue(conversion.object, from);
  const present = valueIn(rest, to);
  if (present !== undefined) {
    return changed(conversion, rest, `${from.join(".")} is left out, as ${to.join(".")} is set`);
  }
  return changed(conversion, withValue(rest, to, convert(value)), `${from.join(".")} is read as ${to.join(".")}`);
}
