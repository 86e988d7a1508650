import { type EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import type { BusHint } from "../../hints.ts";
import { awsErrorFacts } from "./aws-error.ts";

/** `retry`: the bus was busy. `rejected`: it will never take this entry. */
export type EntryOutcome = "accepted" | "retry" | "rejected";

export interface EventBusOptions {
  readonly client: EventBridgeClient;
  readonly busName: string;
  readonly source: string;
}

/** Per-entry codes of PutEvents that another attempt may clear (serverless-aws §4). */
const retryable = /^(ThrottlingException|InternalFailure|InternalException|ServiceUnavailable)$/;

/** Codes of a failed call that no repetition clears. */
const permanent = /AccessDenied|NotAuthorized|Validation|Malformed|ResourceNotFound|InvalidArgument/;

/**
 * Puts hints on the cluster's bus, at most ten to a call, and says for each what became of it. Never throws: a failed call is an
 * outcome of all its entries.
 */
export function eventBus({ client, busName, source }: EventBusOptions) {
  return {
    async send(hints: readonly BusHint[]): Promise<readonly EntryOutcome[]> {
      const command = new PutEventsCommand({
        Entries: hints.map((hint) => ({
          EventBusName: busName,
          Source: source,
          DetailType: hint.kind,
          Detail: JSON.stringify(hint),
          Time: new Date(hint.at),
        })),
      });
      try {
        const { Entries: entries = [] } = await client.send(command);
        return hints.map((_, index) => entryOutcome(entries[index]?.ErrorCode));
      } catch (error) {
        const outcome = permanent.test(awsErrorFacts(error).code) ? "rejected" : "retry";
        return hints.map(() => outcome);
      }
    },
  };
}

function entryOutcome(errorCode: string | undefined): EntryOutcome {
  if (errorCode === undefined) return "accepted";
  return retryable.test(errorCode) ? "retry" : "rejected";
}
