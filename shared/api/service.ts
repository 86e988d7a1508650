import * as z from "zod";
import { objectMeta, stringMap } from "./schema.ts";

/** The slice we read: which pods it is for. */
export const service = z.object({
  apiVersion: z.literal("v1"),
  kind: z.literal("Service"),
  metadata: objectMeta,
  spec: z.object({ selector: stringMap.nullable().exactOptional() }).exactOptional(),
});
export type Service = z.infer<typeof service>;
