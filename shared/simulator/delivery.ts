import type { Random } from "./random.ts";

/** What may go wrong between a sender and its receiver. All chances are per message, from 0 to 1. */
export interface DeliveryFaults {
  readonly loseChance: number;
  readonly duplicateChance: number;
  /** Chance of an extra delay of up to `maxExtraDelayMilliseconds`, which also lets later messages overtake. */
  readonly delayChance: number;
  readonly maxExtraDelayMilliseconds: number;
}

export const noDeliveryFaults: DeliveryFaults = {
  loseChance: 0,
  duplicateChance: 0,
  delayChance: 0,
  maxExtraDelayMilliseconds: 0,
};

/** Lowest and highest value, both included. */
export type Range = readonly [lowest: number, highest: number];

/** After how many milliseconds a message arrives: no entry when it is lost, two when it is doubled. */
export function deliveryDelays(random: Random, usual: Range, faults: DeliveryFaults): readonly number[] {
  if (random.chance(faults.loseChance)) {
    return [];
  }
  const copies = random.chance(faults.duplicateChance) ? 2 : 1;
  return Array.from({ length: copies }, () => {
    const extra = random.chance(faults.delayChance) ? random.integer(0, faults.maxExtraDelayMilliseconds) : 0;
    return random.integer(...usual) + extra;
  });
}
