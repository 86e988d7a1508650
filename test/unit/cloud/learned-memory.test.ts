import { describe, expect, it } from "vitest";
import {
  formatMemory,
  memoryKey,
  parseMemory,
  type RememberedMemory,
  remembered,
  sweptMemoryKeys,
} from "../../../shared/cloud/learned-memory.ts";

const day = 86_400_000;
const report = { instanceType: "m5.large", imageId: "ami-0123", capacityBytes: 8_000 };
const known: RememberedMemory = { ...report, seenAt: 0 };

describe("the memory that nodes report", () => {
  it("is remembered at first sight, and when a node has less", () => {
    expect(remembered(report, [], 5)).toEqual({ ...report, seenAt: 5 });
    expect(remembered({ ...report, capacityBytes: 7_000 }, [known], 5)).toMatchObject({ capacityBytes: 7_000 });
  });

  it("is not written again for each node that has as much or more", () => {
    expect(remembered(report, [known], 5)).toBeUndefined();
    expect(remembered({ ...report, capacityBytes: 9_000 }, [known], 5)).toBeUndefined();
  });

  it("is renewed once a day, and never by more than is known", () => {
    const renewed = remembered({ ...report, capacityBytes: 9_000 }, [known], day);
    expect(renewed).toEqual({ ...report, seenAt: day });
  });

  it("is one fact for each type and image", () => {
    expect(remembered({ ...report, imageId: "ami-9" }, [known], 5)).toMatchObject({ imageId: "ami-9" });
  });

  it("is forgotten sixty days after it was last seen, and bounded", () => {
    expect(sweptMemoryKeys([known], 59 * day)).toEqual([]);
    expect(sweptMemoryKeys([known], 60 * day)).toEqual(["m5.large_ami-0123"]);
    const many = Array.from({ length: 2_502 }, (_, index) => ({ ...report, imageId: `ami-${index}`, seenAt: index }));
    expect(sweptMemoryKeys(many, day)).toEqual(["m5.large_ami-0", "m5.large_ami-1"]);
    const bytes = many.reduce((sum, fact) => sum + memoryKey(fact).length + formatMemory(fact).length, 0);
    expect(bytes).toBeLessThan(512 * 1_024);
  });

  it("is read back as it was written, and readable", () => {
    const key = memoryKey(known);
    expect(key).toMatch(/^[-._a-zA-Z0-9]+$/);
    expect(JSON.parse(formatMemory(known))).toEqual({ capacityBytes: 8_000, seenAt: "1970-01-01T00:00:00.000Z" });
    expect(parseMemory(key, formatMemory(known))).toEqual(known);
    expect(parseMemory("m5.large", formatMemory(known))).toBeUndefined();
    expect(parseMemory(key, "{}")).toBeUndefined();
  });
});
