import { type Kind, kinds } from "../api/kinds.ts";
import { type ObjectReference, ProviderError } from "../ports.ts";

/** The API server's refusals, classified as the real adapter classifies them (design rule 10). */

export function notFound(kind: Kind, reference: ObjectReference): ProviderError {
  return new ProviderError("NotFound", "NotFound", `${describeReference(kind, reference)} not found`);
}

export function alreadyExists(kind: Kind, reference: ObjectReference): ProviderError {
  return new ProviderError("Conflict", "AlreadyExists", `${describeReference(kind, reference)} already exists`);
}

export function conflict(kind: Kind, reference: ObjectReference, why: string): ProviderError {
  return new ProviderError("Conflict", "Conflict", `${describeReference(kind, reference)}: ${why}`);
}

export function invalid(kind: Kind, reference: ObjectReference, why: string): ProviderError {
  return new ProviderError("Invalid", "Invalid", `${describeReference(kind, reference)} is invalid: ${why}`);
}

function describeReference(kind: Kind, { namespace, name }: ObjectReference): string {
  return `${kinds[kind].plural} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
}
