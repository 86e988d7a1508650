import { provision } from "../../shared/controllers/provisioning.ts";
import { liveRuntime } from "../../shared/runtime/compose.ts";
import { hintHandler } from "../../shared/runtime/lambda.ts";

/** Plans and launches nodes. Its FIFO queue has one message group, so one pass runs at a time. */
export const handler = hintHandler(liveRuntime, provision, { onFailure: "acknowledge" });
