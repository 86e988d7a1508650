import type { Random } from "./random.ts";

export function hexDigits(random: Random, count: number): string {
  let digits = "";
  while (digits.length < count) {
    digits += random.integer(0, 15).toString(16);
  }
  return digits;
}

/** Shaped like a UUID, which is all that readers of events and messages may expect. */
export function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => hexDigits(random, length)).join("-");
}
