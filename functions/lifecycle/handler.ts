import { lifecycle } from "../../shared/controllers/lifecycle.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { hintHandler } from "../../shared/runtime/lambda.ts";

/** Takes NodeClaims from launched to registered to initialized. */
export const handler = hintHandler(liveRuntime, lifecycle, { onFailure: "send-again" });
