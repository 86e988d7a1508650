import * as z from "zod";
import { withRule } from "./rules.ts";
import { selectorEntryFaults } from "./selector-validation.ts";
import { isTime } from "./time.ts";

const quantityText = "expected a non-negative quantity such as 500m, 2 or 1.5Gi";

/** A Kubernetes quantity as written: `"100m"`, `"1.5Gi"`, or a bare YAML number. Always a string after parsing. Never negative. */
export const quantity = z
  .union([z.string(), z.number()], quantityText)
  .transform(String)
  .pipe(
    z
      .string()
      // First, and alone when it fails: the pattern takes quadratic time on a text of thousands of digits.
      .max(64, { error: "expected a quantity of at most 64 characters", abort: true })
      .regex(/^\+?(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/, quantityText),
  );

/** Resource name to quantity, as in `requests`, `limits`, `capacity`. */
export const resourceList = z.record(z.string(), quantity);
export type ResourceList = z.infer<typeof resourceList>;

export const stringMap = z.record(z.string(), z.string());

/** RFC 3339 text, as Kubernetes writes times. */
export const time = z.string().refine(isTime, "expected a time such as 2026-01-31T12:00:00Z");

const ownerReference = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().exactOptional(),
  blockOwnerDeletion: z.boolean().exactOptional(),
});
export type OwnerReference = z.infer<typeof ownerReference>;

/** The slice of `ObjectMeta` we read and write. Times are RFC 3339 text, as Kubernetes sends them. */
export const objectMeta = z.object({
  name: z.string(),
  namespace: z.string().exactOptional(),
  generateName: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  generation: z.number().exactOptional(),
  creationTimestamp: time.exactOptional(),
  deletionTimestamp: time.exactOptional(),
  deletionGracePeriodSeconds: z.number().exactOptional(),
  labels: stringMap.exactOptional(),
  annotations: stringMap.exactOptional(),
  finalizers: z.array(z.string()).exactOptional(),
  ownerReferences: z.array(ownerReference).exactOptional(),
});
export type ObjectMeta = z.infer<typeof objectMeta>;

/** Metadata of a template inside a workload: labels and annotations matter, a name does not. */
export const templateMeta = objectMeta.partial();

/** A status condition, in both the metav1 and the older core/v1 form. */
export const condition = z.object({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().exactOptional(),
  message: z.string().exactOptional(),
  lastTransitionTime: time.exactOptional(),
  observedGeneration: z.number().exactOptional(),
});
export type Condition = z.infer<typeof condition>;

const labelSelectorRequirement = withRule(
  z.object({
    key: z.string(),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
    values: z.array(z.string()).exactOptional(),
  }),
  selectorEntryFaults,
);

/** `metav1.LabelSelector`: an empty one matches everything, an absent one nothing. */
export const labelSelector = z.object({
  matchLabels: stringMap.exactOptional(),
  matchExpressions: z.array(labelSelectorRequirement).exactOptional(),
});
export type LabelSelector = z.infer<typeof labelSelector>;

export const taint = z.object({
  key: z.string(),
  value: z.string().exactOptional(),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
  timeAdded: z.string().exactOptional(),
});
export type Taint = z.infer<typeof taint>;
