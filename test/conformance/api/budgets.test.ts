import { expect, vi } from "vitest";
import type { Budget, DisruptionReason } from "../../../shared/api/node-pool.ts";
import { type Allowance, allowance } from "../../../shared/disruption/budgets.ts";
import { conforms } from "../../support/conformance.ts";
import { nodePool } from "../../support/node-pools.ts";

const reasons: readonly DisruptionReason[] = ["Underutilized", "Empty", "Drifted"];
const hour = 3_600_000;
/** A Wednesday, as Karpenter's suite has it. */
const noon = Date.UTC(2026, 5, 17, 12);
const unlimited = Number.POSITIVE_INFINITY;

function allowanceOf(budgets: Budget[], reason: DisruptionReason, total = 100, now = noon): Allowance {
  const pool = nodePool();
  const spec = { ...pool.spec, disruption: { ...pool.spec.disruption, budgets } };
  return allowance({ ...pool, spec }, reason, { total, unavailable: 0 }, now);
}

const allowed = (budgets: Budget[], total?: number, now?: number) =>
  reasons.map((reason) => allowanceOf(budgets, reason, total, now).nodes);
const everyReason = (nodes: number) => reasons.map(() => nodes);

/** In force on the first of each month only. */
const inactive: Budget = { nodes: "1", schedule: "@monthly", duration: "1h" };
const active: Budget = { nodes: "7", schedule: "0 11 * * *", duration: "2h" };

conforms("budget.calc | one active budget of 0 for all reasons | 0 for each reason", () => {
  expect(allowed([{ nodes: "0" }])).toEqual(everyReason(0));
  expect(allowed([{ ...active, nodes: "0" }, { nodes: "50" }])).toEqual(everyReason(0));
});

conforms("budget.calc | no active budget; inactive budget listing a reason (x2) | MaxInt32; ignored", () => {
  expect(allowed([inactive])).toEqual(everyReason(unlimited));
  expect(allowed([])).toEqual(everyReason(unlimited));
  expect(allowed([{ ...inactive, reasons: ["Empty"] }, { nodes: "40" }])).toEqual(everyReason(40));
});

conforms("budget.calc | budgets without reasons / several per reason (x2) | apply to all / minimum taken", () => {
  expect(allowed([{ nodes: "10" }])).toEqual(everyReason(10));
  const several: Budget[] = [
    { nodes: "10" },
    { nodes: "4", reasons: ["Empty"] },
    { nodes: "2", reasons: ["Empty", "Drifted"] },
    { nodes: "50", reasons: ["Underutilized"] },
  ];
  expect(allowed(several)).toEqual([10, 2, 2]);
});

conforms("budget.calc | unparsable schedule or nodes (x2) | 0 with error", () => {
  const schedule = allowanceOf([{ nodes: "10", schedule: "@wrongly", duration: "1h" }, { nodes: "5" }], "Empty");
  expect(schedule.nodes).toBe(0);
  expect(schedule.reason).toContain('cannot be read and allows nothing: schedule: found "@wrongly"');
  for (const nodes of ["10x", "%", "-1", ""]) {
    const found = allowanceOf([{ nodes }, { nodes: "5" }], "Empty");
    expect(found.nodes, nodes).toBe(0);
    expect(found.reason).toContain(`cannot be read and allows nothing: nodes: found ${JSON.stringify(nodes)}`);
  }
});

conforms("budget.calc | inactive; integer; percent (x3) | MaxInt32; the integer; rounded-up share", () => {
  expect(allowed([inactive])).toEqual(everyReason(unlimited));
  expect(allowed([active])).toEqual(everyReason(7));
  expect(allowed([{ nodes: "10%" }], 100)).toEqual(everyReason(10));
  expect(allowed([{ nodes: "10%" }], 15)).toEqual(everyReason(2));
  expect(allowed([{ nodes: "7%" }], 100)).toEqual(everyReason(7));
  expect(allowed([{ nodes: "1%" }], 1)).toEqual(everyReason(1));
  expect(allowed([{ nodes: "0%" }], 15)).toEqual(everyReason(0));
  expect(allowed([{ nodes: "100%" }], 15)).toEqual(everyReason(15));
});

conforms("budget.active | outside; window not started yet (x2) | inactive", () => {
  const at = (now: number) => allowed([{ nodes: "1", schedule: "0 11 * * *", duration: "1h" }], 100, now);
  expect(at(noon - hour)).toEqual(everyReason(1));
  expect(at(noon - 1)).toEqual(everyReason(1));
  expect(at(noon)).toEqual(everyReason(unlimited));
  expect(at(noon + hour)).toEqual(everyReason(unlimited));
  expect(at(noon - hour - 1)).toEqual(everyReason(unlimited));
  expect(at(noon - 3 * hour)).toEqual(everyReason(unlimited));
});

conforms("budget.active | local clock in another zone; bad cron (x2) | evaluated in UTC; error", () => {
  try {
    vi.stubEnv("TZ", "America/Los_Angeles");
    expect(new Date(noon).getHours()).toBe(5);
    expect(allowed([active])).toEqual(everyReason(7));
    expect(allowed([{ ...active, schedule: "0 4 * * *" }])).toEqual(everyReason(unlimited));
  } finally {
    vi.unstubAllEnvs();
  }
  for (const schedule of ["", "0 24 * * *", "0 9 * *", "0 0 9 * * *", "every day"]) {
    const found = allowanceOf([{ nodes: "10", schedule, duration: "1h" }], "Drifted");
    expect(found.nodes, schedule).toBe(0);
    expect(found.reason).toContain(`schedule: found ${JSON.stringify(schedule)}, expected`);
  }
});
