import { describe, expect, it } from "vitest";
import { SortedLazily } from "../../../shared/provisioning/sorted-lazily.ts";

interface Entry {
  readonly key: number;
  readonly name: string;
}

const list: readonly Entry[] = Array.from({ length: 200 }, (_, index) => ({
  key: (index * 37) % 50,
  name: `entry ${index}`,
}));
const byKey = (a: Entry, b: Entry) => a.key - b.key;

describe("a list sorted as far as it is read", () => {
  it("is in the order of a stable sort, however often it is read", () => {
    const sorted = new SortedLazily(list, byKey);
    expect([...sorted]).toEqual(list.toSorted(byKey));
    expect([...sorted]).toEqual(list.toSorted(byKey));
  });

  it("compares far less than a sort does when only its beginning is read", () => {
    const comparisons = { sorted: 0, lazily: 0 };
    list.toSorted((a, b) => {
      comparisons.sorted++;
      return byKey(a, b);
    });
    const [first] = new SortedLazily(list, (a, b) => {
      comparisons.lazily++;
      return byKey(a, b);
    });
    expect(first).toBe(list[0]);
    expect(comparisons.lazily).toBeLessThan(comparisons.sorted / 2);
  });
});
