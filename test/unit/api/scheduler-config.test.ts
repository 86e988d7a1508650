import { describe, expect, it } from "vitest";
import { schedulerConfig } from "../../../shared/api/scheduler-config.ts";

const constraint = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" };
const parse = (...defaultConstraints: readonly object[]) =>
  schedulerConfig.safeParse({ podTopologySpread: { defaultConstraints } });

function faults(...defaultConstraints: readonly object[]): string {
  const { error } = parse(...defaultConstraints);
  return (error?.issues ?? []).map(({ path, message }) => `${path.slice(2).join(".")}: ${message}`).join("\n");
}

describe("the scheduler configuration", () => {
  it("takes what kube-scheduler takes", () => {
    const full = { ...constraint, minDomains: 2, nodeAffinityPolicy: "Ignore", nodeTaintsPolicy: "Honor" };
    const soft = { ...constraint, whenUnsatisfiable: "ScheduleAnyway" };
    expect(parse(full, soft, { ...constraint, topologyKey: "kubernetes.io/hostname" }).success).toBe(true);
  });

  it.each(["labelSelector", "matchLabelKeys", "maxSkews"])("refuses %s: selectors are each workload's own", (field) => {
    expect(faults({ ...constraint, [field]: {} })).toContain(field);
  });

  it("refuses unknown fields beside the constraints", () => {
    const { error } = schedulerConfig.safeParse({ podTopologySpread: { defaultConstraint: [] } });
    expect(error?.message).toContain("defaultConstraint");
  });

  it("refuses a maxSkew below 1, a key that is none, and minDomains of a soft constraint", () => {
    expect(faults({ ...constraint, maxSkew: 0 })).toContain("0.maxSkew");
    expect(faults({ ...constraint, topologyKey: "no key!" })).toContain("0.topologyKey: expected a label key");
    expect(faults({ ...constraint, whenUnsatisfiable: "ScheduleAnyway", minDomains: 2 })).toContain(
      "0.minDomains: expected no minDomains",
    );
  });

  it("refuses the same key and mode twice", () => {
    expect(faults(constraint, { ...constraint, maxSkew: 5 })).toBe(
      "1: expected each pair of topologyKey and whenUnsatisfiable once",
    );
  });
});
