import { describe, expect, it } from "vitest";
import type { Pod, PodSpec } from "../../../shared/api/core.ts";
import { resolvePriority } from "../../../shared/api/pod-priority.ts";
import type { PriorityClass } from "../../../shared/api/policy.ts";

const pod = (spec: Partial<PodSpec>): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [], ...spec },
});
const priorityClass = (name: string, value: number, globalDefault = false): PriorityClass => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value,
  globalDefault,
});

describe("resolvePriority", () => {
  it("is what the pod states, whatever its class", () => {
    const stated = pod({ priority: 7, priorityClassName: "high" });
    expect(resolvePriority(stated, [priorityClass("high", 1000)])).toBe(7);
  });

  it("is its class's value", () => {
    expect(resolvePriority(pod({ priorityClassName: "high" }), [priorityClass("high", 1000)])).toBe(1000);
  });

  it("knows the classes of every cluster", () => {
    expect(resolvePriority(pod({ priorityClassName: "system-node-critical" }), [])).toBe(2_000_001_000);
  });

  it("is the smallest global default for a pod without a class, else 0", () => {
    const classes = [priorityClass("a", 20, true), priorityClass("b", 10, true), priorityClass("c", 1)];
    expect(resolvePriority(pod({}), classes)).toBe(10);
    expect(resolvePriority(pod({}), [])).toBe(0);
  });

  it("is 0 for a class that nobody gave", () => {
    expect(resolvePriority(pod({ priorityClassName: "absent" }), [priorityClass("a", 20, true)])).toBe(0);
  });
});
