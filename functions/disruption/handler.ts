import { disrupt } from "../../shared/controllers/disruption.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { tickHandler } from "../../shared/runtime/lambda.ts";

/** Each minute: removes or replaces nodes that are empty, expired, drifted or not worth their price. */
export const handler = tickHandler(liveRuntime, disrupt);
