import { describe, expect, it } from "vitest";
import { formatBytes, formatMillis, quantityToMillis, quantityToWhole } from "../../../shared/scheduling/quantities.ts";

describe("numbers of quantities", () => {
  it("round a fraction up", () => {
    expect(quantityToMillis("0.0001")).toBe(1);
    expect(quantityToMillis("1.93")).toBe(1930);
    expect(quantityToWhole("100m")).toBe(1);
    expect(quantityToWhole("1.5Ki")).toBe(1536);
  });

  it("saturate at the largest safe integer", () => {
    expect(quantityToWhole("8Ei")).toBe(Number.MAX_SAFE_INTEGER);
    expect(quantityToMillis("10P")).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("formatting", () => {
  it("writes millis as whole units where they are", () => {
    expect([0, 250, 1930, 2000].map(formatMillis)).toEqual(["0", "250m", "1930m", "2"]);
  });

  it("writes bytes in the largest unit that is exact", () => {
    expect([0, 1000, 1024, 1536, 2 ** 30, 3 * 2 ** 29, -2048].map(formatBytes)).toEqual([
      "0",
      "1000",
      "1Ki",
      "1536",
      "1Gi",
      "1536Mi",
      "-2Ki",
    ]);
  });
});
