import * as z from "zod";
import { requirementEntry } from "./node-pool.ts";
import { condition, objectMeta, resourceList } from "./schema.ts";

const heaviest = 10_000;

/**
 * A NodeOverlay as a cluster holds it: other prices, or more resources, for the instance types that meet its requirements (karpenter-core
 * §1.3). What breaks a rule beyond types stays in sight, so that its status can say so; see `nodeOverlayFaults`.
 */
export const nodeOverlay = z.strictObject({
  apiVersion: z.literal("karpenter.sh/v1alpha1"),
  kind: z.literal("NodeOverlay"),
  metadata: objectMeta,
  spec: z.strictObject({
    requirements: z.array(requirementEntry.omit({ minValues: true })).max(100),
    /** USD per hour, in the place of the offering's own price. */
    price: z
      .string()
      .regex(/^[0-9]+(\.[0-9]+)?$/, "expected a price such as 0.25, in USD per hour and without a sign")
      .exactOptional(),
    /** USD per hour or a share, to be added to the offering's own price. */
    priceAdjustment: z
      .string()
      .regex(
        /^([+-][0-9]*\.?[0-9]+|\+[0-9]*\.?[0-9]+%|-[0-9]{1,2}(\.[0-9]+)?%|-100%)$/,
        "expected a change with its sign, such as -10%, +5% or -0.05, and no less than -100%",
      )
      .exactOptional(),
    capacity: resourceList.exactOptional(),
    weight: z.number().int().min(1).max(heaviest).exactOptional(),
  }),
  status: z.object({ conditions: z.array(condition).exactOptional() }).exactOptional(),
});
export type NodeOverlay = z.infer<typeof nodeOverlay>;
