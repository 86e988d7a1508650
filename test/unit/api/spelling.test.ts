import { describe, expect, it } from "vitest";
import { closestWord } from "../../../shared/api/spelling.ts";

describe("closestWord", () => {
  it.each([
    ["limit", "limits"],
    ["requirments", "requirements"],
    ["LIMITS", "limits"],
  ])("takes %s for %s", (word, meant) => {
    expect(closestWord(word, ["weight", "limits", "requirements"])).toBe(meant);
  });

  it("has no answer when nothing is close", () => {
    expect(closestWord("taints", ["weight", "limits"])).toBeUndefined();
  });

  it("prefers the closest", () => {
    expect(closestWord("subnets", ["subnet", "subnetts", "subnets2x"])).toBe("subnet");
  });
});
