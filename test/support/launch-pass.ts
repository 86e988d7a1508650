import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { RankedOffering } from "../../shared/cloud/ranking.ts";
import { fullBudget, type RequestBudget } from "../../shared/cloud/request-budget.ts";
import { DeferredErrors } from "../../shared/controllers/deferred-errors.ts";
import { type LaunchPassEnd, launchClaims } from "../../shared/controllers/launching.ts";
import { acquireLease, releaseLease } from "../../shared/controllers/lease.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import type { Snapshot } from "../../shared/state/snapshot.ts";
import { nodeClaim } from "./node-claims.ts";
import type { PlannerWorld } from "./planner-world.ts";

/** Claims of the cluster for nodes with so many pods, in a NodePool. */
export function addClaims(world: PlannerWorld, names: readonly string[], pods: number): readonly NodeClaim[] {
  return names.map((name) => {
    const { spec, ...claim } = nodeClaim(name);
    const resources = { requests: { cpu: "100m", pods: String(pods) } };
    return world.server.create("NodeClaim", { ...claim, spec: { ...spec, resources } });
  });
}

/** The launching part of one pass, for all claims with these offerings, in the world as it is but for `changes`. */
export async function launchPass(
  world: PlannerWorld,
  offerings: readonly RankedOffering[],
  changes: Partial<Snapshot> & { readonly budget?: RequestBudget } = {},
): Promise<LaunchPassEnd> {
  const { ports, settings } = world;
  const { budget = fullBudget(world.now()), ...changed } = changes;
  const lease = { name: "journeyman-planner", namespace: settings.namespace, durationSeconds: 70 };
  world.invocation.requestId = `pass-${world.now()}-${world.requests.length}`;
  return world.settle(
    (async () => {
      const snapshot = { ...(await readSnapshot(ports, settings)), ...changed };
      await acquireLease(ports, lease);
      const errors = new DeferredErrors();
      const claims = snapshot.nodeClaims.map((claim) => ({ nodeClaim: claim, offerings }));
      const pass = { ports, settings, lease, snapshot, startedAt: world.now(), errors, budget };
      const end = await launchClaims(pass, claims);
      await releaseLease(ports, lease);
      errors.throwFirst();
      return end;
    })(),
  );
}
