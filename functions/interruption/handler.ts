import { interrupt } from "../../shared/controllers/interruption.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { eventHandler } from "../../shared/runtime/lambda.ts";

/** Marks the nodes that EC2 is about to take back, within two seconds of the notice. */
export const handler = eventHandler(liveRuntime, interrupt);
