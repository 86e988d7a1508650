import { disrupt } from "../../shared/controllers/disruption.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { tickHandler } from "../../shared/runtime/lambda.ts";

/** Each minute: gives back nodes that are empty, within their NodePool's budgets. */
export const handler = tickHandler(liveRuntime, disrupt);
