import * as z from "zod";
import { durationOrNever, nodeClassReference, requirementEntry } from "./node-pool.ts";
import { condition, objectMeta, resourceList, taint } from "./schema.ts";

export const nodeClaim = z.object({
  apiVersion: z.literal("karpenter.sh/v1"),
  kind: z.literal("NodeClaim"),
  metadata: objectMeta,
  spec: z.object({
    nodeClassRef: nodeClassReference,
    requirements: z.array(requirementEntry),
    resources: z.object({ requests: resourceList.exactOptional() }).exactOptional(),
    taints: z.array(taint).exactOptional(),
    startupTaints: z.array(taint).exactOptional(),
    expireAfter: durationOrNever.exactOptional(),
    terminationGracePeriod: z.string().exactOptional(),
  }),
  status: z
    .object({
      nodeName: z.string().exactOptional(),
      providerID: z.string().exactOptional(),
      imageID: z.string().exactOptional(),
      capacity: resourceList.exactOptional(),
      allocatable: resourceList.exactOptional(),
      conditions: z.array(condition).exactOptional(),
      lastPodEventTime: z.string().exactOptional(),
    })
    .exactOptional(),
});
export type NodeClaim = z.infer<typeof nodeClaim>;
