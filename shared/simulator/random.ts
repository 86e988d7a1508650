/**
 * Seeded randomness: xoshiro128** (Blackman and Vigna) over 32-bit integers, so a seed gives the same numbers on every machine.
 * Every part of the simulator draws from its own {@link fork}, so that a draw added in one part changes nothing in another.
 */
export class Random {
  readonly #seed: number;
  readonly #state: Uint32Array;

  /** The lowest 32 bits of the seed count. */
  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = expandSeed(this.#seed);
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    return this.#next32() / 2 ** 32;
  }

  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number {
    if (!(Number.isInteger(min) && Number.isInteger(max) && min <= max)) {
      throw new RangeError(`random integer from ${min} to ${max}: expected two integers in ascending order`);
    }
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(list: readonly T[]): T {
    const index = Math.floor(this.next() * list.length);
    const [chosen] = list.slice(index, index + 1);
    if (chosen === undefined) {
      throw new RangeError("random pick from an empty list");
    }
    return chosen;
  }

  /** A copy in random order. */
  shuffle<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }

  /** True with this probability; 0 never, 1 always. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** An independent stream for a name. It follows from this one's seed and the name alone, not from what has been drawn. */
  fork(name: string): Random {
    let hash = (0x811c9dc5 ^ this.#seed) >>> 0;
    for (let index = 0; index < name.length; index++) {
      hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0;
    }
    return new Random(mix(hash));
  }

  #next32(): number {
    const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = this.#state;
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const t2 = s2 ^ s0;
    const t3 = s3 ^ s1;
    this.#state.set([s0 ^ t3, s1 ^ t2, t2 ^ (s1 << 9), rotateLeft(t3, 11)]);
    return result;
  }
}

/** Four state words by splitmix32, as the authors of xoshiro advise. */
function expandSeed(seed: number): Uint32Array {
  const state = new Uint32Array(4);
  for (let index = 0; index < state.length; index++) {
    state[index] = mix((seed + Math.imul(index + 1, 0x9e3779b9)) >>> 0);
  }
  return state;
}

function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
