import { refreshAccount } from "../../shared/controllers/account.ts";
import { liveAccountRuntime } from "../../shared/runtime/compose-catalog.ts";
import { tickHandler } from "../../shared/runtime/lambda.ts";

/** Each minute, and when an EC2NodeClass changes: reads from AWS what plans and launches are made from. */
export const handler = tickHandler(liveAccountRuntime, refreshAccount);
