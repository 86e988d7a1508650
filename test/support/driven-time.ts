import type { EventLoop } from "../../shared/simulator/event-loop.ts";

const longestWait = 2 * 86_400_000;

/**
 * Lets virtual time pass as long as some work waits for it: how a simulation answers requests that come from outside, several at once too.
 * The work itself may wait for nothing but the loop.
 */
export class DrivenTime {
  readonly #loop: EventLoop;
  readonly #pending = new Set<Promise<unknown>>();
  #isRunning = false;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Starts the work, and the loop when it stands still. */
  settle<T>(start: () => Promise<T>): Promise<T> {
    const work = start();
    this.#pending.add(work);
    const end = () => void this.#pending.delete(work);
    work.then(end, end);
    void this.#run();
    return work;
  }

  /** For a ClockPort whose caller waits for answers from outside too. */
  sleep(milliseconds: number): Promise<void> {
    return this.settle(() => this.#loop.sleep(milliseconds));
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#pending.size > 0) {
      const first = Promise.race(this.#pending).catch(() => undefined);
      await this.#loop.runUntilSettled(first, this.#loop.now() + longestWait);
    }
    this.#isRunning = false;
  }
}
