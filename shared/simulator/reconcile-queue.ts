import type { EventLoop } from "./event-loop.ts";

/** A controller's work queue: a key asked for several times before its turn is reconciled once. */
export class ReconcileQueue {
  readonly #loop: EventLoop;
  readonly #name: string;
  readonly #delayMilliseconds: number;
  readonly #reconcile: (key: string) => void;
  readonly #waiting = new Set<string>();

  constructor(options: {
    readonly loop: EventLoop;
    readonly name: string;
    readonly delayMilliseconds: number;
    readonly reconcile: (key: string) => void;
  }) {
    this.#loop = options.loop;
    this.#name = options.name;
    this.#delayMilliseconds = options.delayMilliseconds;
    this.#reconcile = options.reconcile;
  }

  add(key: string): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#loop.schedule(this.#delayMilliseconds, `${this.#name} ${key}`, () => {
      this.#waiting.delete(key);
      this.#reconcile(key);
    });
  }
}
