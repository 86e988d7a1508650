import { forwardDue } from "../../shared/controllers/forwarding.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { hintHandler } from "../../shared/runtime/lambda.ts";

/** Forwards planner hints that had to wait. */
export const handler = hintHandler(liveRuntime, forwardDue, { onFailure: "redeliver", isOutside: true });
