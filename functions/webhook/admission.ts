import type { BusHint } from "../../shared/hints.ts";
import type { AdmissionRequest, AdmissionReview } from "./admission-review.ts";
import { isProbe, isSelected } from "./match-conditions.ts";

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
    readonly response: AdmissionResponse;
  };
  readonly events: readonly ClusterEvent[];
}

type AdmissionResponse =
  | { readonly uid: string; readonly allowed: true }
  | {
      readonly uid: string;
      readonly allowed: false;
      readonly status: { readonly code: number; readonly message: string };
    };

/**
 * Allows everything but the breaker's probe: the webhook listens and never judges. The object may yet be refused elsewhere or its write
 * repeated, which is why an event is only ever a hint (design rule 1). `at` is epoch milliseconds.
 */
export function admit({ request }: AdmissionReview, at: number): AdmissionAnswer {
  const { uid } = request;
  if (isProbe(request)) {
    return { response: review({ uid, allowed: false, status: { code: 403, message: "it is listening" } }), events: [] };
  }
  return {
    response: review({ uid, allowed: true }),
    events: request.dryRun === true || !isSelected(request) ? [] : eventsOf(request, at),
  };
}

function review(response: AdmissionResponse): AdmissionAnswer["response"] {
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
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
