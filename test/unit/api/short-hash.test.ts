import { describe, expect, it } from "vitest";
import { shortHash } from "../../../shared/api/short-hash.ts";

describe("shortHash", () => {
  it("stays the same for the same text from release to release, for names in a cluster are made of it", () => {
    expect(shortHash("journeyman")).toBe("73t6msfbb7");
    expect(shortHash("")).toBe("n2e55wd3sc");
  });

  it("differs for different texts", () => {
    expect(shortHash("a")).not.toBe(shortHash("b"));
  });

  it("is as long as asked for and fit for a DNS name", () => {
    expect(shortHash("a", 51)).toMatch(/^[0-9a-hj-km-np-tv-z]{51}$/);
    expect(shortHash("a", 51).startsWith(shortHash("a", 5))).toBe(true);
  });

  it.each([0, 52, 1.5])("refuses a length of %s", (length) => {
    expect(() => shortHash("a", length)).toThrow(RangeError);
  });
});
