import { describe, expect, it } from "vitest";
import { type Budget, nodePool } from "../../../shared/api/node-pool.ts";
import { allowance } from "../../../shared/disruption/budgets.ts";

/** Monday. */
const noon = Date.UTC(2026, 10, 30, 12);
const hour = 3_600_000;

const defaults = nodePool.parse({
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "default" },
  spec: {
    template: {
      spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" }, requirements: [] },
    },
  },
});

function allowed(budgets: Budget[], nodes = { total: 10, unavailable: 0 }, now = noon): number {
  const spec = { ...defaults.spec, disruption: { ...defaults.spec.disruption, budgets } };
  return allowance({ ...defaults, spec }, "Empty", nodes, now).nodes;
}

describe("a NodePool's budgets", () => {
  it("round shares up and take away the nodes that are unavailable, not below zero", () => {
    expect(allowed([{ nodes: "15%" }])).toBe(2);
    expect(allowed([{ nodes: "15%" }], { total: 10, unavailable: 1 })).toBe(1);
    expect(allowed([{ nodes: "1" }], { total: 10, unavailable: 5 })).toBe(0);
  });

  it("allow what the tightest one that applies allows", () => {
    expect(allowed([{ nodes: "5" }, { nodes: "3" }, { nodes: "0", reasons: ["Drifted"] }])).toBe(3);
    expect(allowed([{ nodes: "0", reasons: ["Drifted"] }])).toBe(Number.POSITIVE_INFINITY);
  });

  it("hold from each hit of the schedule, in UTC, for the duration", () => {
    const working: Budget = { nodes: "0", schedule: "0 9 * * mon-fri", duration: "8h" };
    const at = (hours: number) =>
      allowed([working], { total: 10, unavailable: 0 }, Date.UTC(2026, 10, 30) + hours * hour);
    expect(at(8.99)).toBe(Number.POSITIVE_INFINITY);
    expect(at(9)).toBe(0);
    expect(at(16.99)).toBe(0);
    expect(at(17)).toBe(Number.POSITIVE_INFINITY);
    expect(at(-24 + 12)).toBe(Number.POSITIVE_INFINITY);
  });

  it("know the macros", () => {
    expect(allowed([{ nodes: "0", schedule: "@daily", duration: "13h" }])).toBe(0);
    expect(allowed([{ nodes: "0", schedule: "@daily", duration: "11h" }])).toBe(Number.POSITIVE_INFINITY);
  });

  it("allow nothing when the schedule cannot be read", () => {
    expect(allowed([{ nodes: "5", schedule: "every day", duration: "1h" }])).toBe(0);
  });
});
