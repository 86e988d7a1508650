import type { ProvisioningPlan } from "../shared/provisioning/plan.ts";
import { planProvisioning } from "../shared/provisioning/scheduler.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";

export interface MeasuredPlan {
  readonly plan: ProvisioningPlan;
  /** From pods and instance types in memory to the final plan; the median of the runs. */
  readonly milliseconds: number;
  /** CPU time of the same, all threads of the runtime together; the median by itself. */
  readonly cpuMilliseconds: number;
}

/** Plans a world `runs` times, each time from pods that were decoded anew, so that no run profits from what one before it found out. */
export function measuredPlan(world: () => Snapshot, runs: number): MeasuredPlan {
  const measured = Array.from({ length: runs }, () => {
    const snapshot = world();
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const plan = planProvisioning(snapshot);
    const milliseconds = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { plan, milliseconds, cpuMilliseconds: (user + system) / 1000 };
  });
  const [first] = measured;
  if (first === undefined) throw new RangeError("a plan is measured in one run or more");
  return {
    plan: first.plan,
    milliseconds: median(measured.map(({ milliseconds }) => milliseconds)),
    cpuMilliseconds: median(measured.map(({ cpuMilliseconds }) => cpuMilliseconds)),
  };
}

/** Of an even number of values, the higher of the middle two; NaN of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
