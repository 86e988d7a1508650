/** A list in order, sorted as far as it has been read: for long lists of which only the beginning is wanted, perhaps several times. */
export class SortedLazily<T> implements Iterable<T> {
  readonly #sorted: T[] = [];
  /** A binary heap of what has not been read, by index in the list. */
  readonly #heap: number[];
  readonly #list: readonly T[];
  readonly #compare: (a: T, b: T) => number;

  /** What compares as equal stays in the order of the list. */
  constructor(list: readonly T[], compare: (a: T, b: T) => number) {
    this.#list = list;
    this.#compare = compare;
    this.#heap = [...list.keys()];
    for (let at = (this.#heap.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Undefined beyond the end. */
  at(index: number): T | undefined {
    while (index >= this.#sorted.length && this.#heap.length > 0) this.#takeFirst();
    return this.#sorted[index];
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.#list.length; index++) {
      const next = this.at(index);
      if (next !== undefined) yield next;
    }
  }

  #takeFirst(): void {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return;
    this.#sorted.push(...this.#list.slice(first, first + 1));
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
  }

  #sink(start: number): void {
    const heap = this.#heap;
    for (let at = start; ; ) {
      const left = 2 * at + 1;
      let least = at;
      if (this.#isBefore(heap[left], heap[least])) least = left;
      if (this.#isBefore(heap[left + 1], heap[least])) least = left + 1;
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least] ?? 0, heap[at] ?? 0];
      at = least;
    }
  }

  #isBefore(index: number | undefined, other: number | undefined): boolean {
    const a = index === undefined ? undefined : this.#list[index];
    const b = other === undefined ? undefined : this.#list[other];
    if (index === undefined || other === undefined || a === undefined || b === undefined) return false;
    const order = this.#compare(a, b);
    return order < 0 || (order === 0 && index < other);
  }
}
