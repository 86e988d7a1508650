import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { fileOf, poolManifests, workloadManifest } from "../../support/cli-manifests.ts";
import { folderOf, journeyman, planOf } from "../../support/command-line.ts";
import { checkedPlan, checkedPlans } from "../../support/plan-checker/checked-planning.ts";
import { instrumented } from "../../support/plan-checker/instrumentation.ts";
import { pendingPod } from "../../support/pods.ts";
import { snapshotWith } from "../../support/snapshot.ts";

/** How many plans are checked meanwhile. */
async function checksDuring(work: () => unknown): Promise<number> {
  const before = checkedPlans.count;
  await work();
  return checkedPlans.count - before;
}

describe("the checker of plans", () => {
  it("sees each plan that a test makes of the planner", async () => {
    const snapshot = snapshotWith({ pods: [pendingPod("p")] });
    expect(await checksDuring(() => planProvisioning(snapshot))).toBe(1);
    expect(await checksDuring(() => planProvisioning(snapshotWith({})))).toBe(1);
  });

  it("sees each plan of the command line within the tests", async () => {
    const web = fileOf(...poolManifests(), workloadManifest("Deployment", "web"));
    expect(await checksDuring(() => planOf(web))).toBeGreaterThanOrEqual(1);
  });

  it("sees each plan of a command that a test starts as a process", () => {
    const folder = folderOf({
      "all.yaml": fileOf(...poolManifests(), workloadManifest("Deployment", "web")),
      checked: "",
    });
    process.env.PLAN_CHECKER_REPORT = `${folder}/checked`;
    try {
      expect(journeyman(["plan", "-f", `${folder}/all.yaml`]).exitCode).toBe(0);
    } finally {
      delete process.env.PLAN_CHECKER_REPORT;
    }
    expect(Number(readFileSync(`${folder}/checked`, "utf8"))).toBeGreaterThanOrEqual(1);
  });

  it("hands a good plan on as it is, and throws what is wrong with a bad one", () => {
    const snapshot = snapshotWith({ pods: [pendingPod("p")] });
    const plan = planProvisioning(snapshot);
    expect(checkedPlan(plan, snapshot)).toBe(plan);
    const [claim] = plan.nodeClaims;
    const other = snapshotWith({ pods: [pendingPod("p", { cpu: "300" })] });
    expect(() => checkedPlan({ ...plan, nodeClaims: [] }, snapshot)).toThrow("default/p is not answered");
    expect(() => checkedPlan(plan, other)).toThrow(`${claim?.name}: cpu of all pods is 300000`);
  });

  it("refuses a planner whose function it does not find, and one that has two", () => {
    const planner = "export function planProvisioning(a: string): string {\n  return a;\n}\n";
    expect(instrumented(planner, "checker")).toContain("function uncheckedPlanProvisioning(a: string)");
    expect(instrumented(planner, "checker")).not.toMatch(/^export function planProvisioning\(a/m);
    expect(() => instrumented(planner.replace("export function", "export const"), "checker")).toThrow("found 0 times");
    expect(() => instrumented(planner + planner, "checker")).toThrow("found 2 times");
  });
});
