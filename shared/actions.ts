import type { Kind, KubernetesObject } from "./api/kinds.ts";
import type { Hint } from "./hints.ts";
import type { MergePatch, ObjectReference, RunInstancesRequest } from "./ports.ts";

/**
 * What a plan wants done, as data. `execute` performs actions in order, idempotently, and decides nothing (design rule 3).
 * `why` goes to the log with the outcome.
 */
export type Action =
  | { readonly kind: "create"; readonly object: KubernetesObject; readonly why: string }
  | {
      readonly kind: "patch";
      readonly objectKind: Kind;
      readonly reference: ObjectReference;
      readonly patch: MergePatch;
      readonly subresource?: "status";
      readonly why: string;
    }
  | {
      readonly kind: "delete";
      readonly objectKind: Kind;
      readonly reference: ObjectReference;
      readonly uid?: string;
      readonly gracePeriodSeconds?: number;
      readonly why: string;
    }
  | {
      readonly kind: "evict";
      readonly reference: ObjectReference;
      readonly uid: string;
      readonly gracePeriodSeconds?: number;
      readonly why: string;
    }
  | { readonly kind: "run-instances"; readonly request: RunInstancesRequest; readonly why: string }
  | { readonly kind: "terminate-instances"; readonly instanceIds: readonly string[]; readonly why: string }
  | {
      readonly kind: "create-tags";
      readonly instanceIds: readonly string[];
      readonly tags: Readonly<Record<string, string>>;
      readonly why: string;
    }
  | { readonly kind: "send-hint"; readonly hint: Hint; readonly delaySeconds?: number; readonly why: string };
