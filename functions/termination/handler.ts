import { terminate } from "../../shared/controllers/termination.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { hintHandler } from "../../shared/runtime/lambda.ts";

/** Drains a leaving node and ends its instance, one step to an invocation. */
export const handler = hintHandler(liveRuntime, terminate, { onFailure: "send-again" });
