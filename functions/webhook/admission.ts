import type { BusHint } from "../../shared/hints.ts";
import type { AdmissionRequest, AdmissionReview } from "./admission-review.ts";
import { isSelected } from "./match-conditions.ts";

/** A hint and what it is about: of two with one subject only the newer need be sent. */
export interface ClusterEvent {
  /** `pod/UID`, `node/NAME` and so on. */
  readonly subject: string;
  readonly hint: BusHint;
}

export interface AdmissionAnswer {
  readonly response: {
    readonly apiVersion: "admission.k8s.io/v1";
    readonly kind: "AdmissionReview";
    readonly response: { readonly uid: string; readonly allowed: true };
  };
  readonly events: readonly ClusterEvent[];
}

/**
 * Allows everything: the webhook listens and never judges. The object may yet be refused elsewhere or its write repeated, which is
 * why an event is only ever a hint (design rule 1). `at` is epoch milliseconds.
 */
export function admit({ request }: AdmissionReview, at: number): AdmissionAnswer {
  return {
    response: {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: request.uid, allowed: true },
    },
    events: request.dryRun === true || !isSelected(request) ? [] : eventsOf(request, at),
  };
}

function eventsOf(request: AdmissionRequest, at: number): readonly ClusterEvent[] {
  const object = request.object ?? request.oldObject;
  const name = request.name === "" ? (object?.metadata.name ?? "") : request.name;
  switch (request.resource.resource) {
    case "pods":
      return [{ subject: `pod/${object?.metadata.uid}`, hint: { kind: "provision", reason: "pods-pending", at } }];
    case "nodes":
      return [{ subject: `node/${name}`, hint: { kind: "node", name, at } }];
    case "nodeclaims":
      return [{ subject: `node-claim/${name}`, hint: { kind: "node-claim", name, at } }];
    case "nodepools":
      return [{ subject: `node-pool/${name}`, hint: { kind: "node-pool", name, at } }];
    case "ec2nodeclasses":
      return [{ subject: `node-class/${name}`, hint: { kind: "node-class", name, at } }];
    default:
      return [];
  }
}
