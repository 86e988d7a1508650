import { describe, expect, it } from "vitest";
import { batches } from "../../../functions/webhook/batches.ts";

const limits = { entries: 3, bytes: 100 };
const size = (bytes: number) => bytes;

describe("batches", () => {
  it("keep the number of entries and their order", () => {
    expect(batches([1, 2, 3, 4, 5, 6, 7], size, limits)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  it("keep the sum of sizes, up to the limit itself", () => {
    expect(batches([50, 50, 1, 99, 2], size, limits)).toEqual([[50, 50], [1, 99], [2]]);
  });

  it("give an item that is too large a batch of its own, for the bus to refuse", () => {
    expect(batches([10, 500, 10], size, limits)).toEqual([[10], [500], [10]]);
  });

  it("of nothing are none", () => {
    expect(batches([], size, limits)).toEqual([]);
  });
});
