import { type AdmissionReview, admissionReview } from "../../functions/webhook/admission-review.ts";

interface RequestFields {
  readonly resource?: string;
  readonly group?: string;
  readonly subResource?: string;
  readonly operation?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly groups?: readonly string[];
  readonly object?: object | null;
  readonly oldObject?: object | null;
  readonly dryRun?: boolean;
}

/** An AdmissionReview as the API server sends it. */
export function reviewBody(fields: RequestFields = {}): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "review-1",
      kind: { group: fields.group ?? "", version: "v1", kind: "Any" },
      resource: { group: fields.group ?? "", version: "v1", resource: fields.resource ?? "pods" },
      subResource: fields.subResource ?? "",
      operation: fields.operation ?? "UPDATE",
      name: fields.name ?? "",
      ...(fields.namespace !== undefined && { namespace: fields.namespace }),
      userInfo: { username: "someone", groups: fields.groups ?? ["system:authenticated"] },
      object: fields.object ?? null,
      oldObject: fields.oldObject ?? null,
      dryRun: fields.dryRun ?? false,
    },
  };
}

export function review(fields: RequestFields = {}): AdmissionReview {
  return admissionReview.parse(reviewBody(fields));
}

/** kube-scheduler's patch: `message` of before (undefined: none yet) and of now. */
export function unschedulableReview(
  before: string | undefined,
  now: string,
  more: RequestFields = {},
): AdmissionReview {
  return review({ subResource: "status", object: pendingPod(now), oldObject: pendingPod(before), ...more });
}

/** A pod that the scheduler found no node for, or has not looked at yet. */
export function pendingPod(message: string | undefined, spec: object = {}): object {
  const conditions =
    message === undefined ? [] : [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
  return { metadata: { name: "web-1", uid: "uid-1" }, spec, status: { phase: "Pending", conditions } };
}

export function nodeWithReady(status: "True" | "False"): object {
  return { metadata: { name: "node-1" }, spec: {}, status: { conditions: [{ type: "Ready", status }] } };
}
