import { describe, expect, it } from "vitest";
import type { Toleration } from "../../../shared/api/core.ts";
import type { Taint } from "../../../shared/api/schema.ts";
import { firstUntolerated, mergeTaints, tolerates } from "../../../shared/scheduling/taints.ts";

const dedicated: Taint = { key: "dedicated", value: "batch", effect: "NoSchedule" };

describe("tolerates", () => {
  it.each<[string, Toleration, boolean]>([
    ["the same key, value and effect", { key: "dedicated", value: "batch", effect: "NoSchedule" }, true],
    ["no effect, which means every effect", { key: "dedicated", operator: "Equal", value: "batch" }, true],
    ["another effect", { key: "dedicated", value: "batch", effect: "NoExecute" }, false],
    ["another value", { key: "dedicated", value: "web" }, false],
    ["no value where the taint has one", { key: "dedicated" }, false],
    ["Exists of the key", { key: "dedicated", operator: "Exists" }, true],
    ["Exists of another key", { key: "other", operator: "Exists" }, false],
    ["Exists without a key, which means everything", { operator: "Exists" }, true],
    ["Exists without a key for another effect", { operator: "Exists", effect: "NoExecute" }, false],
  ])("judges %s", (_title, toleration, expected) => {
    expect(tolerates(toleration, dedicated)).toBe(expected);
  });

  it("takes an absent value for an empty one on both sides", () => {
    expect(tolerates({ key: "k", value: "" }, { key: "k", effect: "NoSchedule" })).toBe(true);
  });

  it.each<[Toleration["operator"] & string, string, string, boolean]>([
    ["Gt", "900", "950", true],
    ["Gt", "950", "950", false],
    ["Lt", "900", "850", true],
    ["Lt", "900", "950", false],
    ["Lt", "-1", "-2", true],
    ["Gt", "900", "high", false],
    ["Gt", "low", "950", false],
  ])("compares integers: %s %s against a taint of %s", (operator, wanted, found, expected) => {
    expect(tolerates({ key: "sla", operator, value: wanted }, { key: "sla", value: found, effect: "NoSchedule" })).toBe(
      expected,
    );
  });
});

describe("firstUntolerated", () => {
  it("finds the taint that refuses the pod", () => {
    const evicting: Taint = { key: "gone", effect: "NoExecute" };
    expect(firstUntolerated([dedicated, evicting], [{ key: "dedicated", operator: "Exists" }])).toBe(evicting);
  });

  it("does not mind PreferNoSchedule unless asked", () => {
    const soft: Taint = { key: "soft", effect: "PreferNoSchedule" };
    expect(firstUntolerated([soft], [])).toBeUndefined();
    expect(firstUntolerated([soft], [], ["PreferNoSchedule"])).toBe(soft);
  });
});

describe("mergeTaints", () => {
  it("keeps the first list's taint where key and effect are the same", () => {
    const other: Taint = { key: "dedicated", value: "web", effect: "NoSchedule" };
    const evicting: Taint = { ...other, effect: "NoExecute" };
    expect(mergeTaints([dedicated], [other, evicting])).toEqual([dedicated, evicting]);
  });
});
