import { type Hint, queueOf } from "../hints.ts";
import type { HintPort } from "../ports.ts";
import type { EventLoop } from "./event-loop.ts";
import { uuid } from "./identifiers.ts";
import type { OutgoingMessage, Queue } from "./queue.ts";
import type { Random } from "./random.ts";

/** The queues that hints travel on (design §1). */
export interface HintQueues {
  /** FIFO, one message group. */
  readonly provisioning: Queue;
  readonly lifecycle: Queue;
  readonly termination: Queue;
  /** Standard: planner hints wait here, because a FIFO queue takes no delay per message. Its consumer forwards them. */
  readonly later: Queue;
}

/** Sends hints as JSON to simulated queues. */
export class SimulatedHintPort implements HintPort {
  readonly #queues: HintQueues;
  readonly #messageGroupId: string;
  readonly #loop: EventLoop;
  readonly #random: Random;

  constructor(queues: HintQueues, messageGroupId: string, loop: EventLoop, random: Random) {
    this.#queues = queues;
    this.#messageGroupId = messageGroupId;
    this.#loop = loop;
    this.#random = random.fork("hints");
  }

  async send(hint: Hint, options: { readonly delaySeconds?: number } = {}): Promise<void> {
    await this.#loop.sleep(this.#random.integer(5, 25));
    const { delaySeconds = 0 } = options;
    const queue = this.#queues[queueOf(hint)];
    const body = JSON.stringify(hint);
    if (!queue.fifo) {
      queue.send({ body, delaySeconds });
    } else if (delaySeconds > 0) {
      this.#queues.later.send({ body, delaySeconds });
    } else {
      queue.send(this.#fifoMessage(body));
    }
  }

  /** A random deduplication id: no two hints are the same message (design §4.1, step 1). */
  #fifoMessage(body: string): OutgoingMessage {
    return { body, messageGroupId: this.#messageGroupId, messageDeduplicationId: uuid(this.#random) };
  }
}
