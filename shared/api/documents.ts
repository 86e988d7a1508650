import { type Kind, type KubernetesObject, type KubernetesObjects, kinds, schemas } from "./kinds.ts";
import { type ListedObject, listedObjects } from "./listed-objects.ts";
import { type ConvertedObject, withMovedKubelets } from "./moved-kubelets.ts";
import { soundNodePool } from "./node-pool.ts";
import { identify } from "./object-identity.ts";
import { objectFaults } from "./object-validation.ts";
import { gather, type Outcome, read, refused } from "./outcomes.ts";
import { describePlace, describeValue, type Place, type Problem, problemAt } from "./problems.ts";
import { type RawObject, textIn, valueIn, withoutValue, withValue } from "./raw-objects.ts";
import type { Fault } from "./rules.ts";
import { isAboutRefused, salvaged } from "./salvage.ts";
import { schemaProblems } from "./schema-problems.ts";
import { shortHash } from "./short-hash.ts";
import { stableJson } from "./stable-json.ts";
import { unknownPodFields } from "./unknown-pod-fields.ts";
import { convertToV1 } from "./v1beta1.ts";

/** An object as its schema decoded it, defaults filled in, and where it was read. Narrowing by `kind` narrows `object`. */
export type LoadedObject = {
  readonly [K in Kind]: { readonly kind: K; readonly object: KubernetesObjects[K]; readonly source: Place };
}[Kind];

export interface Documents {
  readonly objects: readonly LoadedObject[];
  /** What was skipped, or read in another way than it is written: for a person to see, no reason to stop. */
  readonly notes: readonly string[];
  /** Everything that is wrong, in all documents. What could not be decoded is not among `objects`. */
  readonly problems: readonly Problem[];
  /** What could not be decoded, as `EC2NodeClass default`: it is there, and nobody need miss it. */
  readonly undecoded: ReadonlySet<string>;
}

/**
 * Reads Kubernetes objects from the texts of YAML or JSON files, written by hand or dumped by `kubectl get -o yaml`. Lists are
 * unwrapped, older Karpenter versions converted, namespaces filled in, defaults applied. Never throws for bad input.
 */
export function readDocuments(sources: readonly { readonly name: string; readonly text: string }[]): Documents {
  const listed = gather(sources, listedObjects);
  const converted = gather(listed.values, inCurrentVersion);
  const complete = withMovedKubelets(converted.values);
  const decoded = gather(complete.values, decodedObject);
  const distinct = withoutRepetitions(decoded.values);
  const decodedSources = new Set(decoded.values.map(({ source }) => source));
  const undecoded = complete.values.filter(({ place }) => !decodedSources.has(place));
  const steps = [listed, converted, complete, decoded, distinct];
  return {
    objects: distinct.values,
    notes: [
      ...steps.flatMap(({ notes }) => notes),
      ...complete.values.flatMap(unknownPodFields),
      ...skippedKinds(listed.values),
    ],
    problems: inReadingOrder(
      steps.flatMap(({ problems }) => problems),
      sources.map(({ name }) => name),
    ),
    undecoded: new Set(undecoded.map(({ object }) => titleOf(object))),
  };
}

/** By file, then by document: a person mends them from top to bottom. */
function inReadingOrder(problems: readonly Problem[], files: readonly string[]): readonly Problem[] {
  return problems.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.document - b.document);
}

/** The object as v1, if it is of a kind that is read here. */
function inCurrentVersion({ place, object }: ListedObject): Outcome<ConvertedObject> {
  const identity = identify(object);
  switch (identity.is) {
    case "known": {
      const { object: current, notes, faults, kubelet } = convertToV1(object);
      return {
        values: [{ place, object: current, ...(kubelet === undefined ? {} : { kubelet }) }],
        notes: notes.length === 0 ? [] : [`${describePlace(place)}, ${titleOf(object)}: ${notes.join("; ")}`],
        problems: faultProblems(faults, current, place),
      };
    }
    case "superseded":
      return {
        ...read(),
        notes: [`${describePlace(place)}, ${titleOf(object)}: skipped; write it as ${identity.successor}`],
      };
    case "unidentified":
      return refused(problemAt(place, [identity.field], describeValue(object[identity.field]), identity.expected));
    case "list":
      return refused(
        problemAt(place, ["kind"], describeValue(object.kind), "an object: Lists stand too deep in one another"),
      );
    case "unknown":
      return read();
  }
}

/** One note for each kind that is not read. */
function skippedKinds(listed: readonly ListedObject[]): readonly string[] {
  const identities = listed.map(({ object }) => identify(object)).filter((identity) => identity.is === "unknown");
  const byKind = Map.groupBy(identities, ({ kind }) => kind);
  return [...byKind].map(([kind, { length }]) => `kind ${kind} is not read here: ${length} skipped`);
}

function decodedObject({ place, object }: ListedObject): Outcome<LoadedObject> {
  const identity = identify(object);
  if (identity.is !== "known") return read();
  const { kind } = identity;
  const named = withIdentity(object, kind, place);
  const schema = kind === "NodePool" ? soundNodePool : schemas[kind];
  const parsed = schema.safeParse(named);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const rest = salvaged<KubernetesObject>(named, (object) => schema.safeParse(object));
    const faults = rest === undefined ? [] : objectFaults(rest).filter(({ path }) => !isAboutRefused(path, issues));
    return refused(...schemaProblems(schema, named, issues, place), ...faultProblems(faults, named, place));
  }
  const faults = objectFaults(parsed.data);
  if (faults.length > 0) return refused(...faultProblems(faults, named, place));
  // The schema was chosen by this very kind; TypeScript cannot follow the pair through the lookup.
  return read({ kind, object: parsed.data, source: place } as LoadedObject);
}

/** The namespace that the API server would fill in, and a name in place of `generateName`, the same each time. */
function withIdentity(object: RawObject, kind: Kind, place: Place): RawObject {
  const path = ["metadata", "namespace"];
  const inNamespace = kinds[kind].namespaced
    ? withValue(object, path, valueIn(object, path) ?? "default")
    : withoutValue(object, path);
  const prefix = textIn(object, ["metadata", "generateName"]);
  if (prefix === undefined || valueIn(object, ["metadata", "name"]) !== undefined) return inNamespace;
  return withValue(inNamespace, ["metadata", "name"], `${prefix}${shortHash(describePlace(place), 5)}`);
}

/** Each object once. The same again is harmless; another of the same name is a problem, for either could be meant. */
function withoutRepetitions(objects: readonly LoadedObject[]): Outcome<LoadedObject> {
  const firsts = new Map<string, LoadedObject>();
  return gather(objects, (loaded) => {
    const title = titleOf(loaded.object);
    const first = firsts.get(title);
    if (first === undefined) {
      firsts.set(title, loaded);
      return read(loaded);
    }
    const [here, there] = [describePlace(loaded.source), describePlace(first.source)];
    if (stableJson(first.object) === stableJson(loaded.object)) {
      return { ...read(), notes: [`${here}: ${title} again, the same as in ${there}; read once`] };
    }
    const expected = `another name, or the same content as in ${there}`;
    return refused(problemAt(loaded.source, ["metadata", "name"], `${title} again, with other content`, expected));
  });
}

function faultProblems(faults: readonly Fault[], object: RawObject, place: Place): readonly Problem[] {
  return faults.map(({ path, expected, found }) =>
    problemAt(place, path, found ?? describeValue(valueIn(object, path)), expected),
  );
}

/** `NodePool default`, `Pod shop/cart-0`. */
function titleOf(object: RawObject | KubernetesObjects[Kind]): string {
  const [namespace, name] = ["namespace", "name"].map((field) => textIn(object, ["metadata", field]));
  return `${object.kind} ${namespace === undefined ? "" : `${namespace}/`}${name ?? "without a name"}`;
}
