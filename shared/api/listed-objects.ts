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

/** Lists in Lists come from programs that join what others printed, never this deep. */
const deepestLists = 8;

/** The objects of a file, one for each document or each item of a List. */
export function listedObjects(source: { readonly name: string; readonly text: string }): Outcome<ListedObject> {
  const { documents, problems } = yamlDocuments(source);
  const listed = gather(documents, ({ document, value }) => unwrapped(value, { name: source.name, document }));
  return { ...listed, problems: [...problems, ...listed.problems] };
}

function unwrapped(value: unknown, place: Place, itemDefaults: RawObject = {}): Outcome<ListedObject> {
  if (!isRawObject(value)) return refused(problemAt(place, [], describeValue(value), "a Kubernetes object"));
  // Items of a typed list such as PodList need not repeat what the list's kind says.
  const object = { ...itemDefaults, ...value };
  const identity = identify(object);
  const { items: outer = [] } = place;
  if (identity.is !== "list" || outer.length === deepestLists) return read({ place, object });
  const { items } = identity;
  if (!Array.isArray(items)) return refused(problemAt(place, ["items"], describeValue(items), "a list"));
  return gather([...items.entries()], ([index, item]: readonly [number, unknown]) =>
    unwrapped(item, { ...place, items: [...outer, index] }, identity.itemDefaults),
  );
}
