import * as z from "zod";
import { objectMeta } from "./schema.ts";

/** Ours. */
export const webhookConfigurationName = "journeyman";

/** Kept as they are read, because a list can only be written whole. */
const webhook = z.looseObject({ name: z.string() });

/** What we read and write of `admissionregistration.k8s.io/v1` ValidatingWebhookConfiguration: our own. */
export const validatingWebhookConfiguration = z.object({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("ValidatingWebhookConfiguration"),
  metadata: objectMeta,
  webhooks: z.array(webhook).exactOptional(),
});
export type ValidatingWebhookConfiguration = z.infer<typeof validatingWebhookConfiguration>;
