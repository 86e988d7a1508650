import { describe, expect, it } from "vitest";
import type { LabelSelector } from "../../../shared/api/schema.ts";
import { describeSelector, matchesSelector } from "../../../shared/scheduling/label-selectors.ts";

const labels = { app: "web", tier: "front" };

describe("matchesSelector", () => {
  it("lets an absent selector match nothing and an empty one everything", () => {
    expect(matchesSelector(undefined, labels)).toBe(false);
    expect(matchesSelector({}, labels)).toBe(true);
    expect(matchesSelector({}, {})).toBe(true);
  });

  it.each<[string, LabelSelector, boolean]>([
    ["matchLabels", { matchLabels: { app: "web" } }, true],
    ["matchLabels with another value", { matchLabels: { app: "web", tier: "back" } }, false],
    ["In", { matchExpressions: [{ key: "app", operator: "In", values: ["api", "web"] }] }, true],
    ["In on an absent label", { matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }, false],
    ["NotIn", { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, false],
    ["NotIn on an absent label", { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] }, true],
    ["Exists", { matchExpressions: [{ key: "app", operator: "Exists" }] }, true],
    ["DoesNotExist", { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] }, false],
    ["a key that every object inherits", { matchExpressions: [{ key: "constructor", operator: "Exists" }] }, false],
    [
      "labels and expressions, which must all hold",
      { matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "NotIn", values: ["front"] }] },
      false,
    ],
  ])("judges %s", (_title, selector, expected) => {
    expect(matchesSelector(selector, labels)).toBe(expected);
  });
});

describe("describeSelector", () => {
  it("reads the same however the selector is ordered", () => {
    const tier = { key: "tier", operator: "In", values: ["b", "a"] } as const;
    const selector = { matchLabels: { app: "web" }, matchExpressions: [{ ...tier, values: [...tier.values] }] };
    expect(describeSelector(selector)).toBe("app=web, tier In [a, b]");
    expect(describeSelector({})).toBe("everything");
  });
});
