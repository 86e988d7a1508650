import { collectGarbage } from "../../shared/controllers/garbage-collection.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { tickHandler } from "../../shared/runtime/lambda.ts";

/** Each minute: ends instances without a NodeClaim, and NodeClaims without an instance. */
export const handler = tickHandler(liveRuntime, collectGarbage);
