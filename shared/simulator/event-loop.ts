/** A task that may still be taken back. */
export interface Timer {
  cancel(): void;
}

interface Task {
  readonly at: number;
  readonly sequence: number;
  readonly name: string;
  readonly run: () => void | Promise<void>;
  readonly onError: ((error: unknown) => void) | undefined;
  cancelled: boolean;
}

/**
 * Virtual time. Tasks run one after another in the order of (time, sequence of scheduling), so the same program gives the same
 * history. A task may be async and `await loop.sleep(...)`: while it sleeps, other tasks run. Between tasks the loop waits until every
 * promise that can settle has settled; code under it must therefore wait for nothing but the loop (no real timers, no I/O).
 *
 * An error of a task rejects the running {@link runUntil} with the task's name, the time and the cause, unless the task was scheduled
 * with its own `onError`.
 */
export class EventLoop {
  readonly #tasks = new TaskHeap();
  #now: number;
  #sequence = 0;
  #running = false;
  #failure: Error | undefined;

  /** `startAt` in epoch milliseconds. */
  constructor(startAt: number) {
    this.#now = startAt;
  }

  /** Epoch milliseconds of virtual time. */
  now(): number {
    return this.#now;
  }

  /** Runs a task after a delay (negative counts as 0); tasks of one instant run in the order in which they were scheduled. */
  schedule(
    delayMilliseconds: number,
    name: string,
    run: () => void | Promise<void>,
    onError?: (error: unknown) => void,
  ): Timer {
    if (!Number.isFinite(delayMilliseconds)) {
      throw new RangeError(`task "${name}": delay is ${delayMilliseconds}, expected a number of milliseconds`);
    }
    const at = this.#now + Math.max(0, delayMilliseconds);
    const task: Task = { at, sequence: this.#sequence++, name, run, onError, cancelled: false };
    this.#tasks.push(task);
    return {
      cancel() {
        task.cancelled = true;
      },
    };
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(milliseconds, "sleep", resolve);
    });
  }

  /** Runs every task due up to and including `at`, then leaves the clock at `at`. */
  async runUntil(at: number): Promise<void> {
    await this.#runTasks(at);
    this.#now = Math.max(this.#now, at);
  }

  /** Runs until no task is left, or none before `maxAt`; the clock then stands at the last task, or at `maxAt`. */
  async runUntilIdle(maxAt: number): Promise<void> {
    await this.#runTasks(maxAt);
    if (this.#tasks.peek() !== undefined) {
      this.#now = Math.max(this.#now, maxAt);
    }
  }

  /** Runs until the promise settles and passes its outcome on; an error when it has not by `maxAt`. */
  async runUntilSettled<T>(promise: Promise<T>, maxAt: number): Promise<T> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    await this.#runTasks(maxAt, () => settled);
    if (!settled) {
      throw new Error(`the promise has not settled by ${new Date(maxAt).toISOString()} of virtual time`);
    }
    return promise;
  }

  async #runTasks(until: number, isDone: () => boolean = () => false): Promise<void> {
    if (this.#running) {
      throw new Error("the event loop is running already: a task must not run the loop it runs on");
    }
    this.#running = true;
    try {
      await this.#settle();
      while (!isDone()) {
        const task = this.#tasks.peek();
        if (task === undefined || task.at > until) return;
        this.#tasks.pop();
        this.#now = task.at;
        this.#start(task);
        await this.#settle();
      }
    } finally {
      this.#running = false;
    }
  }

  #start(task: Task): void {
    const failed = (cause: unknown): void => {
      if (task.onError !== undefined) {
        task.onError(cause);
        return;
      }
      const message = cause instanceof Error ? cause.message : String(cause);
      const error = new Error(`task "${task.name}" at ${new Date(this.#now).toISOString()}: ${message}`, { cause });
      this.#failure ??= error;
    };
    try {
      Promise.resolve(task.run()).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** A turn of the real loop runs all microtasks; another follows as long as tasks were scheduled in the last. */
  async #settle(): Promise<void> {
    let before: number;
    do {
      before = this.#sequence;
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#sequence !== before);
    const failure = this.#failure;
    if (failure !== undefined) {
      this.#failure = undefined;
      throw failure;
    }
  }
}

/** A binary heap of tasks by time, then sequence; cancelled tasks are dropped when they reach the top. */
class TaskHeap {
  readonly #items: Task[] = [];

  peek(): Task | undefined {
    while (this.#items[0]?.cancelled) {
      this.pop();
    }
    return this.#items[0];
  }

  push(task: Task): void {
    const items = this.#items;
    let index = items.length;
    items.push(task);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex];
      if (parent === undefined || isBefore(parent, task)) break;
      items[index] = parent;
      items[parentIndex] = task;
      index = parentIndex;
    }
  }

  pop(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    items[0] = last;
    let index = 0;
    for (;;) {
      const childIndex = this.#smallerChild(index);
      const child = childIndex === undefined ? undefined : items[childIndex];
      if (childIndex === undefined || child === undefined || isBefore(last, child)) return;
      items[index] = child;
      items[childIndex] = last;
      index = childIndex;
    }
  }

  #smallerChild(index: number): number | undefined {
    const left = this.#items[2 * index + 1];
    const right = this.#items[2 * index + 2];
    if (left === undefined) return undefined;
    return right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
