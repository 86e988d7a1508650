import { annotation } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { type ResourceList, resourceList } from "../api/schema.ts";
import { isRecord, parsedJson } from "./json-annotation.ts";

/**
 * A pod that a NodeClaim is meant for (design §4.1, step 2). `owner` and `class` find the successor of a displaced pod: its
 * controller's UID (empty for a bare pod) and the `classKey` of its record.
 */
export interface Nomination {
  readonly uid: string;
  readonly owner: string;
  readonly class: string;
  /**
   * What the pod asks for, where its successor is made only after it is gone (StatefulSets): until then there is no pod to read
   * the size of the place from.
   */
  readonly requests?: ResourceList;
}

/** The claim's nominations; entries that are not nominations are left out. */
export function nominationsOf(claim: NodeClaim): readonly Nomination[] {
  const value = parsedJson(claim.metadata.annotations?.[annotation.nominatedPods]);
  return Array.isArray(value) ? value.flatMap(nomination) : [];
}

/** The annotation's text; equal lists of pods give equal text, whatever their order. */
export function formatNominations(nominations: readonly Nomination[]): string {
  const entries = nominations.map(({ uid, owner, class: classKey, requests }) => ({
    ...{ uid, owner, class: classKey },
    ...(requests && { requests }),
  }));
  return JSON.stringify(entries.sort((a, b) => (a.uid < b.uid ? -1 : 1)));
}

function nomination(value: unknown): readonly Nomination[] {
  if (!isRecord(value)) return [];
  const { uid, owner, class: classKey } = value;
  if (typeof uid !== "string" || typeof owner !== "string" || typeof classKey !== "string") return [];
  const requests = resourceList.safeParse(value.requests);
  return [{ uid, owner, class: classKey, ...(requests.success && { requests: requests.data }) }];
}
