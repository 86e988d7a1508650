import { type DeliveryFaults, deliveryDelays, noDeliveryFaults } from "./delivery.ts";
import type { EventLoop } from "./event-loop.ts";
import { compilePattern, type EventPattern } from "./event-pattern.ts";
import { uuid } from "./identifiers.ts";
import type { Random } from "./random.ts";
import { timestamp } from "./time.ts";

/** An event as EventBridge delivers it. */
export interface EventEnvelope {
  readonly version: "0";
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An event without what the bus adds. */
export type EventContent = Pick<EventEnvelope, "detail-type" | "source" | "resources" | "detail">;

/** A queue, or whatever else takes the event as its message. */
export interface EventTarget {
  readonly name: string;
  readonly fifo: boolean;
  send(message: { readonly body: string; readonly messageGroupId?: string }): unknown;
}

export interface EventRule {
  readonly name: string;
  readonly pattern: EventPattern;
  readonly target: EventTarget;
  /** Required for a FIFO target; static per rule. */
  readonly messageGroupId?: string;
}

export interface PutEventsEntry {
  readonly Source?: string;
  readonly DetailType?: string;
  /** A JSON object. */
  readonly Detail?: string;
  readonly Resources?: readonly string[];
}

export interface PutEventsResult {
  readonly FailedEntryCount: number;
  /** In the order of the request. */
  readonly Entries: readonly (
    | { readonly EventId: string }
    | { readonly ErrorCode: string; readonly ErrorMessage: string }
  )[];
}

/** An EventBridge bus of the classic kind: rules with patterns and their targets, at-least-once and unordered (serverless-aws §4). */
export class EventBus {
  faults: DeliveryFaults = noDeliveryFaults;
  readonly name: string;
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #origin: { readonly account: string; readonly region: string };
  readonly #rules: { readonly rule: EventRule; readonly matches: (event: unknown) => boolean }[] = [];
  #entryFailures: { code: string; times: number } = { code: "", times: 0 };

  constructor(
    name: string,
    loop: EventLoop,
    random: Random,
    origin: { readonly account: string; readonly region: string },
  ) {
    this.name = name;
    this.#loop = loop;
    this.#random = random.fork(`event bus ${name}`);
    this.#origin = origin;
  }

  putRule(rule: EventRule): void {
    if (rule.target.fifo && rule.messageGroupId === undefined) {
      throw new Error(`rule ${rule.name}: its target ${rule.target.name} is a FIFO queue and needs a messageGroupId`);
    }
    this.#rules.push({ rule, matches: compilePattern(rule.pattern) });
  }

  /** An AWS service's own event. The target gets the whole envelope as its message. */
  publish(content: EventContent): EventEnvelope {
    const event: EventEnvelope = {
      version: "0",
      id: uuid(this.#random),
      "detail-type": content["detail-type"],
      source: content.source,
      account: this.#origin.account,
      time: timestamp(this.#loop.now()),
      region: this.#origin.region,
      resources: content.resources,
      detail: content.detail,
    };
    for (const { rule } of this.#rules.filter(({ matches }) => matches(event))) {
      this.#deliver(rule, JSON.stringify(event));
    }
    return event;
  }

  /** The PutEvents API. Entries fail one by one; only a request that is too large fails as a whole. */
  async putEvents(entries: readonly PutEventsEntry[]): Promise<PutEventsResult> {
    await this.#loop.sleep(this.#random.integer(8, 40));
    if (entries.length < 1 || entries.length > 10) {
      throw new Error(`ValidationException: PutEvents has ${entries.length} entries, accepted are 1 to 10`);
    }
    const sizeBytes = entries.reduce((sum, entry) => sum + entrySizeBytes(entry), 0);
    if (sizeBytes >= 1_000_000) {
      throw new Error(`ValidationException: PutEvents has entries of ${sizeBytes} bytes, accepted are less than 1 MB`);
    }
    const results = entries.map((entry) => this.#put(entry));
    return { FailedEntryCount: results.filter((result) => "ErrorCode" in result).length, Entries: results };
  }

  /** The next entries of PutEvents fail with a code such as `ThrottlingException`. */
  failNextEntries(code: string, times: number): void {
    this.#entryFailures = { code, times };
  }

  #put(entry: PutEventsEntry): PutEventsResult["Entries"][number] {
    if (this.#entryFailures.times > 0) {
      this.#entryFailures.times -= 1;
      return { ErrorCode: this.#entryFailures.code, ErrorMessage: "injected by the simulation" };
    }
    const { Source, DetailType, Detail } = entry;
    if (Source === undefined || DetailType === undefined || Detail === undefined || DetailType.length > 128) {
      const message = "Source, DetailType (up to 128 characters) and Detail are required";
      return { ErrorCode: "InvalidArgument", ErrorMessage: message };
    }
    if (Source.startsWith("aws.")) {
      return { ErrorCode: "NotAuthorizedForSourceException", ErrorMessage: `Not authorized for the source ${Source}.` };
    }
    const detail = parseDetail(Detail);
    if (detail === undefined) {
      return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." };
    }
    const event = this.publish({
      "detail-type": DetailType,
      source: Source,
      resources: entry.Resources ?? [],
      detail,
    });
    return { EventId: event.id };
  }

  #deliver(rule: EventRule, body: string): void {
    for (const delay of deliveryDelays(this.#random, [15, 90], this.faults)) {
      this.#loop.schedule(delay, `rule ${rule.name}`, () => {
        const { messageGroupId } = rule;
        rule.target.send({ body, ...(messageGroupId !== undefined && { messageGroupId }) });
      });
    }
  }
}

function entrySizeBytes(entry: PutEventsEntry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
}

function parseDetail(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
