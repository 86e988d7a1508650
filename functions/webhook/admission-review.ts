import * as z from "zod";

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});

/** No name in Kubernetes is longer. Whoever forges a review must not fill the bus with it. */
const longestName = 253;
const name = z.string().max(longestName).default("");

/** The few fields of pods, nodes, NodePools and NodeClaims that decide whether we care. */
const admittedObject = z.object({
  metadata: z.object({
    name,
    uid: z.string().max(longestName).default(""),
    generation: z.number().optional(),
    deletionTimestamp: z.string().optional(),
  }),
  spec: z.object({ nodeName: z.string().optional() }).optional(),
  status: z.object({ conditions: z.array(condition).optional() }).optional(),
});
export type AdmittedObject = z.infer<typeof admittedObject>;

const admissionRequest = z.object({
  uid: z.string(),
  resource: z.object({ group: z.string().default(""), version: z.string(), resource: z.string() }),
  subResource: z.string().default(""),
  name,
  namespace: name,
  operation: z.enum(["CREATE", "UPDATE", "DELETE", "CONNECT"]),
  userInfo: z.object({ groups: z.array(z.string()).default([]) }).default({ groups: [] }),
  /** Null on DELETE. */
  object: admittedObject.nullish(),
  /** Null on CREATE. */
  oldObject: admittedObject.nullish(),
  dryRun: z.boolean().nullish(),
});
export type AdmissionRequest = z.infer<typeof admissionRequest>;

/** The slice of `admission.k8s.io/v1` AdmissionReview that we read. */
export const admissionReview = z.object({
  apiVersion: z.literal("admission.k8s.io/v1"),
  kind: z.literal("AdmissionReview"),
  request: admissionRequest,
});
export type AdmissionReview = z.infer<typeof admissionReview>;
