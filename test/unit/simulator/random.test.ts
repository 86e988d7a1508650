import { describe, expect, it } from "vitest";
import { Random } from "../../../shared/simulator/random.ts";

const draws = (random: Random) => Array.from({ length: 5 }, () => random.integer(0, 1_000_000));

describe("Random", () => {
  it("gives the same numbers for the same seed, on every machine, and others for another", () => {
    expect(draws(new Random(42))).toEqual(draws(new Random(42)));
    expect(draws(new Random(42))).not.toEqual(draws(new Random(43)));
  });

  it("forks a stream that follows from the seed and the name alone", () => {
    const fresh = new Random(1);
    const used = new Random(1);
    draws(used);
    expect(draws(used.fork("ec2"))).toEqual(draws(fresh.fork("ec2")));
    expect(draws(fresh.fork("ec2"))).not.toEqual(draws(fresh.fork("sqs")));
  });

  it("stays within its bounds and reaches both", () => {
    const random = new Random(3);
    const values = new Set(Array.from({ length: 200 }, () => random.integer(2, 5)));
    expect([...values].sort()).toEqual([2, 3, 4, 5]);
  });

  it("takes chances of 0 and 1 literally", () => {
    const random = new Random(3);
    expect(Array.from({ length: 100 }, () => random.chance(0))).not.toContain(true);
    expect(Array.from({ length: 100 }, () => random.chance(1))).not.toContain(false);
  });

  it("shuffles without losing anything and picks what is there", () => {
    const random = new Random(3);
    const list = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(random.shuffle(list).sort()).toEqual(list);
    expect(list).toContain(random.pick(list));
    expect(() => random.pick([])).toThrow("empty list");
  });
});
