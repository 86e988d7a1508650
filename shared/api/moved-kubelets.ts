import type { MovedKubelet } from "./conversion.ts";
import type { ListedObject } from "./listed-objects.ts";
import type { Outcome } from "./outcomes.ts";
import { gather, read } from "./outcomes.ts";
import { describePlace, describeValue, type Place, problemAt } from "./problems.ts";
import { textIn, valueIn, withValue } from "./raw-objects.ts";
import { stableJson } from "./stable-json.ts";

/** An object in its current version, with the kubelet settings that it hands to its class. */
export interface ConvertedObject extends ListedObject {
  readonly kubelet?: MovedKubelet;
}

interface Mover extends MovedKubelet {
  readonly place: Place;
}

const kubeletPath = ["spec", "kubelet"];

/**
 * v1 keeps kubelet settings on the class, so those of a v1beta1 NodePool go to the class that it names. A class has one set of
 * settings: its own win, and two NodePools that disagree cannot share it.
 */
export function withMovedKubelets(objects: readonly ConvertedObject[]): Outcome<ListedObject> {
  const movers = objects.flatMap(({ kubelet, place }) => (kubelet === undefined ? [] : [{ ...kubelet, place }]));
  const placed = gather(objects, (object) => withKubelet(object, movers));
  const lost = movers
    .filter(({ nodeClass }) => !objects.some(({ object }) => isClass(object, nodeClass)))
    .map(
      ({ nodeClass, place }) =>
        `${describePlace(place)}: kubelet settings left out, as there is no EC2NodeClass ${nodeClass}`,
    );
  return { ...placed, notes: [...placed.notes, ...lost] };
}

function withKubelet({ place, object }: ConvertedObject, movers: readonly Mover[]): Outcome<ListedObject> {
  const [first, ...others] = movers.filter(({ nodeClass }) => isClass(object, nodeClass));
  if (first === undefined) return read({ place, object });
  if (valueIn(object, kubeletPath) !== undefined) {
    const note = `${describePlace(place)}: its own spec.kubelet is kept, that of the NodePools naming it left out`;
    return { ...read({ place, object }), notes: [note] };
  }
  const problems = others
    .filter(({ settings }) => stableJson(settings) !== stableJson(first.settings))
    .map(({ place: other, settings }) =>
      problemAt(
        other,
        ["spec", "template", "spec", "kubelet"],
        describeValue(settings),
        `the settings of ${describePlace(first.place)}, as both name EC2NodeClass ${first.nodeClass}`,
      ),
    );
  return { ...read({ place, object: withValue(object, kubeletPath, first.settings) }), problems };
}

function isClass(object: ListedObject["object"], name: string): boolean {
  return object.kind === "EC2NodeClass" && textIn(object, ["metadata", "name"]) === name;
}
