import { createHash } from "node:crypto";
import type { EventLoop } from "./event-loop.ts";
import { hexDigits, uuid } from "./identifiers.ts";
import type { Random } from "./random.ts";

export interface QueueOptions {
  readonly name: string;
  readonly fifo?: boolean;
  /** FIFO: the deduplication id is the SHA-256 of the body when the sender names none. */
  readonly contentBasedDeduplication?: boolean;
  readonly visibilityTimeoutSeconds?: number;
  readonly retentionSeconds?: number;
  /** A message received this often without being deleted goes to the dead-letter queue at the next receive. */
  readonly redrive?: { readonly deadLetterQueue: Queue; readonly maxReceiveCount: number };
}

/** What a standard queue may do to any message. A FIFO queue does neither. */
export interface QueueFaults {
  /** A second copy is delivered, independently of the first. */
  readonly duplicateChance: number;
  /** A receive hands out messages in random order. */
  readonly reorderChance: number;
}

export interface OutgoingMessage {
  readonly body: string;
  /** 0 to 900; a FIFO queue refuses it. */
  readonly delaySeconds?: number;
  readonly messageGroupId?: string;
  readonly messageDeduplicationId?: string;
}

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly sentAt: number;
  readonly firstReceivedAt: number;
  readonly receiveCount: number;
  readonly sequenceNumber: string;
  readonly messageGroupId?: string;
  readonly messageDeduplicationId?: string;
}

interface StoredMessage {
  readonly messageId: string;
  readonly body: string;
  readonly sentAt: number;
  readonly sequenceNumber: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt: number | undefined;
  receiptHandle: string | undefined;
}

/** A request that SQS refuses, with its code. */
class QueueError extends Error {
  readonly code: string;
  override readonly name = "QueueError";

  constructor(queue: string, code: string, message: string) {
    super(`queue ${queue}: ${message}`);
    this.code = code;
  }
}

const deduplicationMilliseconds = 5 * 60_000;

/** An SQS queue, standard or FIFO, with visibility timeouts, redrive and FIFO groups and deduplication (serverless-aws §4). */
export class Queue {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  faults: QueueFaults = { duplicateChance: 0, reorderChance: 0 };
  readonly #options: QueueOptions;
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #listeners: (() => void)[] = [];
  readonly #deduplicated = new Map<string, { readonly messageId: string; readonly sentAt: number }>();
  #messages: StoredMessage[] = [];
  #sequence = 0;

  constructor(options: QueueOptions, loop: EventLoop, random: Random) {
    this.name = options.name;
    this.fifo = options.fifo ?? false;
    this.visibilityTimeoutSeconds = options.visibilityTimeoutSeconds ?? 30;
    this.#options = options;
    this.#loop = loop;
    this.#random = random.fork(`queue ${options.name}`);
    const deadLetterQueue = options.redrive?.deadLetterQueue;
    if (deadLetterQueue !== undefined && deadLetterQueue.fifo !== this.fifo) {
      throw new QueueError(this.name, "InvalidParameterValue", `the dead-letter queue must be of the same type`);
    }
  }

  /** Returns the message id; of the first message, when a FIFO queue has seen the deduplication id in the last five minutes. */
  send(message: OutgoingMessage): string {
    this.#check(message);
    const now = this.#loop.now();
    const deduplicationId = this.fifo ? this.#deduplicationId(message) : undefined;
    const earlier = deduplicationId === undefined ? undefined : this.#deduplicated.get(deduplicationId);
    if (earlier !== undefined && now - earlier.sentAt < deduplicationMilliseconds) {
      return earlier.messageId;
    }
    const messageId = uuid(this.#random);
    if (deduplicationId !== undefined) {
      this.#deduplicated.set(deduplicationId, { messageId, sentAt: now });
    }
    const store = (delayMilliseconds: number) =>
      this.#store({
        messageId,
        body: message.body,
        sentAt: now,
        sequenceNumber: String(++this.#sequence).padStart(20, "0"),
        groupId: message.messageGroupId,
        deduplicationId,
        visibleAt: now + delayMilliseconds,
        receiveCount: 0,
        firstReceivedAt: undefined,
        receiptHandle: undefined,
      });
    const delayMilliseconds = (message.delaySeconds ?? 0) * 1000;
    store(delayMilliseconds);
    if (!this.fifo && this.#random.chance(this.faults.duplicateChance)) {
      store(delayMilliseconds + this.#random.integer(0, 5_000));
    }
    return messageId;
  }

  /** Up to `max` (10 at most) messages, hidden from others until their visibility timeout ends. */
  receive(max: number): readonly ReceivedMessage[] {
    this.#redriveAndExpire();
    const received = this.#receivable().slice(0, Math.min(max, 10));
    const now = this.#loop.now();
    for (const message of received) {
      message.visibleAt = now + this.visibilityTimeoutSeconds * 1000;
      message.receiveCount += 1;
      message.firstReceivedAt ??= now;
      message.receiptHandle = hexDigits(this.#random, 24);
    }
    if (received.length > 0) {
      this.#wakeListeners(this.visibilityTimeoutSeconds * 1000);
    }
    return received.map((message) => receivedMessage(message));
  }

  /** False when the handle is out of date: the message has been received again, or (FIFO) its visibility timeout has ended. */
  delete(receiptHandle: string): boolean {
    const message = this.#messages.find((candidate) => candidate.receiptHandle === receiptHandle);
    if (message === undefined || (this.fifo && message.visibleAt <= this.#loop.now())) {
      return false;
    }
    this.#messages = this.#messages.filter((candidate) => candidate !== message);
    this.#wakeListeners(0);
    return true;
  }

  changeVisibility(receiptHandle: string, seconds: number): void {
    const message = this.#messages.find((candidate) => candidate.receiptHandle === receiptHandle);
    if (message === undefined || message.visibleAt <= this.#loop.now()) {
      throw new QueueError(this.name, "MessageNotInflight", "the receipt handle names no message in flight");
    }
    message.visibleAt = this.#loop.now() + seconds * 1000;
    this.#wakeListeners(seconds * 1000);
  }

  /** Calls back whenever there may be something to receive: the poller's long poll. */
  onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
    this.#wakeListeners(0);
  }

  /** Bodies of every message that is neither deleted nor redriven, oldest first, hidden ones included. */
  bodies(): readonly string[] {
    return this.#messages.map((message) => message.body);
  }

  /** When the oldest of these messages was sent; undefined when there is none. */
  oldestSentAt(): number | undefined {
    return this.#messages[0]?.sentAt;
  }

  #check(message: OutgoingMessage): void {
    const { delaySeconds = 0, messageGroupId } = message;
    if (!(delaySeconds >= 0 && delaySeconds <= 900)) {
      throw new QueueError(
        this.name,
        "InvalidParameterValue",
        `DelaySeconds is ${delaySeconds}, accepted are 0 to 900`,
      );
    }
    if (this.fifo && message.delaySeconds !== undefined) {
      throw new QueueError(this.name, "InvalidParameterValue", "a FIFO queue takes no DelaySeconds per message");
    }
    if (this.fifo && messageGroupId === undefined) {
      throw new QueueError(this.name, "MissingParameter", "a FIFO queue needs a MessageGroupId");
    }
    if (Buffer.byteLength(message.body) > 1024 * 1024) {
      throw new QueueError(this.name, "InvalidParameterValue", "the message is longer than 1 MiB");
    }
  }

  #deduplicationId(message: OutgoingMessage): string {
    if (message.messageDeduplicationId !== undefined) {
      return message.messageDeduplicationId;
    }
    if (this.#options.contentBasedDeduplication) {
      return createHash("sha256").update(message.body).digest("hex");
    }
    throw new QueueError(
      this.name,
      "InvalidParameterValue",
      "no MessageDeduplicationId, and none is made from content",
    );
  }

  #store(message: StoredMessage): void {
    this.#messages.push(message);
    this.#wakeListeners(message.visibleAt - this.#loop.now());
  }

  #redriveAndExpire(): void {
    const now = this.#loop.now();
    const { redrive, retentionSeconds = 4 * 86_400 } = this.#options;
    const maxReceiveCount = redrive?.maxReceiveCount ?? Number.POSITIVE_INFINITY;
    const due = (message: StoredMessage) => message.visibleAt <= now && message.receiveCount >= maxReceiveCount;
    if (redrive !== undefined) {
      for (const message of this.#messages.filter(due)) {
        redrive.deadLetterQueue.#store({ ...message, visibleAt: now, receiveCount: 0, receiptHandle: undefined });
      }
    }
    this.#messages = this.#messages.filter(
      (message) => !due(message) && now - message.sentAt < retentionSeconds * 1000,
    );
  }

  #receivable(): StoredMessage[] {
    const now = this.#loop.now();
    if (!this.fifo) {
      const visible = this.#messages.filter((message) => message.visibleAt <= now);
      return this.#random.chance(this.faults.reorderChance) ? this.#random.shuffle(visible) : visible;
    }
    const busyGroups = new Set(
      this.#messages.filter((message) => message.visibleAt > now).map((message) => message.groupId),
    );
    return this.#messages.filter((message) => !busyGroups.has(message.groupId));
  }

  #wakeListeners(delayMilliseconds: number): void {
    for (const listener of this.#listeners) {
      this.#loop.schedule(delayMilliseconds, `queue ${this.name} available`, listener);
    }
  }
}

function receivedMessage(message: StoredMessage): ReceivedMessage {
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle ?? "",
    body: message.body,
    sentAt: message.sentAt,
    firstReceivedAt: message.firstReceivedAt ?? message.sentAt,
    receiveCount: message.receiveCount,
    sequenceNumber: message.sequenceNumber,
    ...(message.groupId !== undefined && { messageGroupId: message.groupId }),
    ...(message.deduplicationId !== undefined && { messageDeduplicationId: message.deduplicationId }),
  };
}
