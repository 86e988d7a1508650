import { afterCall, budgetAnnotation, formatBudget, parseBudget, refilled } from "../cloud/request-budget.ts";
import type { Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { isLeaseFree, plannerLease } from "./lease.ts";
import { update } from "./optimistic-update.ts";

/** What is always left for launches. */
const keptForLaunches = 1;

/**
 * Takes one request out of the bucket that RunInstances has (serverless-aws §2), for a call that is only tried: EC2 counts it as any other. The
 * planner's Lease holds the bucket, so that none is taken while a pass, which has its own count, is at it, nor the last one. False: not now.
 */
export async function takeDryRun(ports: Ports, settings: Settings): Promise<boolean> {
  const { kubernetes, clock } = ports;
  const reference = { name: plannerLease, namespace: settings.namespace };
  const lease = await kubernetes.get("Lease", reference);
  // No pass has ever run, so that nothing has been launched either.
  if (lease === undefined) return true;
  let isTaken = false;
  await update(
    ports,
    "Lease",
    reference,
    (current) => {
      const now = clock.now();
      const budget = refilled(parseBudget(current.metadata.annotations?.[budgetAnnotation], now), now);
      isTaken = isLeaseFree(current, now) && budget.requests >= 1 + keptForLaunches;
      if (!isTaken) return undefined;
      return { metadata: { annotations: { [budgetAnnotation]: formatBudget(afterCall(budget, 0, now)) } } };
    },
    { current: lease },
  );
  return isTaken;
}
