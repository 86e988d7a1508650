import { describeRequirement } from "../scheduling/requirements.ts";
import { type Alternatives, agree } from "./volume-topology.ts";

/** Where one volume of a pod can be reached. */
export interface VolumePlaces {
  /** The volume's name in the pod. */
  readonly volume: string;
  /** The claim as `namespace/name`. */
  readonly claim: string;
  readonly alternatives: Alternatives;
}

/** Why no node reaches the last volume and those before it, in one sentence that names the fewest of them. */
export function volumeConflict(before: readonly VolumePlaces[], last: VolumePlaces): string {
  const one = before.find(({ alternatives }) => !agree(alternatives, last.alternatives));
  const involved = [...(one === undefined ? before.filter(isPlaced) : [one]), last];
  const volumes = involved.map(({ volume }) => volume);
  const claims = involved.map(({ claim, alternatives }) => `${claim} (${placesText(alternatives)})`);
  return `volumes ${listed(volumes)}: no node can reach the volumes of PersistentVolumeClaims ${listed(claims)} at once`;
}

function isPlaced({ alternatives }: VolumePlaces): boolean {
  return alternatives.some(({ size }) => size > 0);
}

function placesText(alternatives: Alternatives): string {
  const texts = alternatives.map((each) => [...each.values()].map(describeRequirement).sort().join(" and "));
  return texts.join(" or ");
}

function listed(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(", "), ...texts.slice(-1)].join(" and ");
}
