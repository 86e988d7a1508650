import { describe, expect, it } from "vitest";
import { stableJson } from "../../../shared/api/stable-json.ts";

describe("stableJson", () => {
  it("writes keys in order at every depth and keeps the order of lists", () => {
    expect(stableJson({ b: [{ d: 1, c: 2 }, 0], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},0]}');
  });

  it("does not tell an absent property from an undefined one", () => {
    expect(stableJson({ a: undefined })).toBe(stableJson({}));
  });

  it("writes undefined as null, so that the answer is always text", () => {
    expect(stableJson(undefined)).toBe("null");
  });
});
