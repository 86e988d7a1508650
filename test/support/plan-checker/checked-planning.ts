import type { ProvisioningPlan } from "../../../shared/provisioning/plan.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { planProblems } from "./plan-problems.ts";

/** How many plans of this process have been checked: what shows that the instrument is installed. */
export const checkedPlans = { count: 0 };

/** The plan as it is. Throws an Error that lists what is wrong with it. */
export function checkedPlan(plan: ProvisioningPlan, snapshot: Snapshot): ProvisioningPlan {
  const problems = planProblems(snapshot, plan);
  checkedPlans.count++;
  if (problems.length > 0) throw new Error(`the plan does not hold:\n${problems.join("\n")}`);
  return plan;
}
