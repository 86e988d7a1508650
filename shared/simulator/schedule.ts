import { type DeliveryFaults, deliveryDelays, noDeliveryFaults } from "./delivery.ts";
import type { EventLoop, Timer } from "./event-loop.ts";
import type { Random } from "./random.ts";
import { timestamp } from "./time.ts";

export interface ScheduleOptions {
  readonly name: string;
  /** `rate(n minutes)`; the least is 1. */
  readonly rateMinutes: number;
  /** Gets the scheduled time in RFC 3339, which `<aws.scheduler.scheduled-time>` puts into a body. */
  readonly target: (scheduledTime: string) => void;
}

const minuteMilliseconds = 60_000;

/**
 * An EventBridge schedule. It fires somewhere within the minute of its scheduled time: a phase that stays the same for a schedule, and
 * a little spread (serverless-aws §4, "EventBridge Scheduler").
 */
export class Schedule {
  faults: DeliveryFaults = noDeliveryFaults;
  readonly #options: ScheduleOptions;
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #phaseMilliseconds: number;
  #next: Timer | undefined;

  constructor(options: ScheduleOptions, loop: EventLoop, random: Random) {
    if (!Number.isInteger(options.rateMinutes) || options.rateMinutes < 1) {
      throw new RangeError(
        `schedule ${options.name}: rate is ${options.rateMinutes} minutes, accepted are 1, 2, 3, ...`,
      );
    }
    this.#options = options;
    this.#loop = loop;
    this.#random = random.fork(`schedule ${options.name}`);
    this.#phaseMilliseconds = this.#random.integer(0, minuteMilliseconds - 1_000);
    this.#plan(loop.now());
  }

  stop(): void {
    this.#next?.cancel();
  }

  #plan(scheduledAt: number): void {
    const { name, rateMinutes, target } = this.#options;
    this.#next = this.#loop.schedule(scheduledAt - this.#loop.now(), `schedule ${name}`, () => {
      const scheduledTime = timestamp(scheduledAt);
      const latest = this.#phaseMilliseconds + 1_000;
      for (const delay of deliveryDelays(this.#random, [this.#phaseMilliseconds, latest], this.faults)) {
        this.#loop.schedule(delay, `tick of ${name}`, () => target(scheduledTime));
      }
      this.#plan(scheduledAt + rateMinutes * minuteMilliseconds);
    });
  }
}
