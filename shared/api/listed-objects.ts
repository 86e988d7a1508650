import { identify } from "./object-identity.ts";
import { gather, type Outcome, read, refused } from "./outcomes.ts";
import { describeValue, type Place, problemAt } from "./problems.ts";
import { isRawObject, type RawObject } from "./raw-objects.ts";
import { yamlDocuments } from "./yaml-documents.ts";

/** A raw object and where it stands. */
export interface ListedObject {
  readonly place: Place;
  readonly object: RawObject;
}

/** The objects of a file, one for each document or each item of a List. */
export function listedObjects(source: { readonly name: string; readonly text: string }): Outcome<ListedObject> {
  const { documents, problems } = yamlDocuments(source);
  const listed = gather(documents, ({ document, value }) => unwrapped(value, { name: source.name, document }));
  return { ...listed, problems: [...problems, ...listed.problems] };
}

function unwrapped(value: unknown, place: Place): Outcome<ListedObject> {
  if (!isRawObject(value)) return notAnObject(value, place);
  const identity = identify(value);
  if (identity.is !== "list") return read({ place, object: value });
  return gather([...identity.items.entries()], ([item, inner]) => {
    const itemPlace = { ...place, item };
    // Items of a typed list such as PodList need not repeat what the list's kind says.
    return isRawObject(inner)
      ? read({ place: itemPlace, object: { ...identity.itemDefaults, ...inner } })
      : notAnObject(inner, itemPlace);
  });
}

function notAnObject(value: unknown, place: Place): Outcome<never> {
  return refused(problemAt(place, [], describeValue(value), "a Kubernetes object"));
}
