import { type Kind, type KubernetesObject, kinds } from "../api/kinds.ts";
import { ProviderError } from "../ports.ts";

/** `admission.k8s.io/v1` AdmissionReview: what a webhook is sent. */
export interface AdmissionReview {
  readonly apiVersion: "admission.k8s.io/v1";
  readonly kind: "AdmissionReview";
  readonly request: AdmissionRequest;
}

export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: "status";
  readonly name: string;
  readonly namespace?: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly userInfo: { readonly username: string };
  /** Null on DELETE. */
  readonly object: KubernetesObject | null;
  /** Null on CREATE. */
  readonly oldObject: KubernetesObject | null;
  readonly dryRun: boolean;
}

/** One entry of a ValidatingWebhookConfiguration with `failurePolicy: Ignore` (serverless-aws §6). */
export interface ValidatingWebhook {
  readonly name: string;
  readonly kind: Kind;
  readonly operations: readonly AdmissionRequest["operation"][];
  /** With it only writes to the subresource match, without it only those to the object. */
  readonly subResource?: "status";
  /** Stands for matchConditions. As with `Ignore`, an error in it skips the webhook. */
  readonly matches?: (request: AdmissionRequest) => boolean;
  /** Why it refuses a request that matches; absent where it refuses none. */
  readonly refuses?: (review: AdmissionReview) => string | undefined;
  /** Its answer is not awaited: the webhook fails open, so that no answer but a refusal could change the outcome. */
  readonly call: (review: AdmissionReview) => unknown;
}

/** Calls the webhooks that match, in order of registration, and counts those that failed. */
export class Admission {
  readonly #webhooks: ValidatingWebhook[] = [];
  readonly #nextUid: () => string;
  /** Calls that threw or rejected; the write went through all the same. */
  failures = 0;

  constructor(nextUid: () => string) {
    this.#nextUid = nextUid;
  }

  /** Returns the function that takes it away again. */
  add(webhook: ValidatingWebhook): () => void {
    this.#webhooks.push(webhook);
    return () => {
      const index = this.#webhooks.indexOf(webhook);
      if (index >= 0) this.#webhooks.splice(index, 1);
    };
  }

  review(
    kind: Kind,
    operation: AdmissionRequest["operation"],
    username: string,
    write: {
      readonly object: KubernetesObject | null;
      readonly oldObject: KubernetesObject | null;
      readonly subResource?: "status";
      readonly dryRun?: boolean;
    },
  ): void {
    const candidates = this.#webhooks.filter(
      (webhook) =>
        webhook.kind === kind && webhook.operations.includes(operation) && webhook.subResource === write.subResource,
    );
    const subject = write.object ?? write.oldObject;
    if (candidates.length === 0 || subject === null) return;
    const { name, namespace } = subject.metadata;
    const [version = "", group = ""] = kinds[kind].apiVersion.split("/").reverse();
    const request: AdmissionRequest = {
      uid: this.#nextUid(),
      kind: { group, version, kind },
      resource: { group, version, resource: kinds[kind].plural },
      ...(write.subResource === undefined ? {} : { subResource: write.subResource }),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: { username },
      object: structuredClone(write.object),
      oldObject: structuredClone(write.oldObject),
      dryRun: write.dryRun ?? false,
    };
    for (const webhook of candidates) this.#call(webhook, request);
  }

  #call(webhook: ValidatingWebhook, request: AdmissionRequest): void {
    const refusal = webhook.refuses?.({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
    if (refusal !== undefined) {
      const message = `admission webhook "${webhook.name}" denied the request: ${refusal}`;
      throw new ProviderError("Denied", "Forbidden", message);
    }
    const fail = (): void => {
      this.failures++;
    };
    try {
      if (webhook.matches !== undefined && !webhook.matches(request)) return;
      Promise.resolve(webhook.call({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request })).catch(
        fail,
      );
    } catch {
      fail();
    }
  }
}
