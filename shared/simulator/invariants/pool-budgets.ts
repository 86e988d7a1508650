import { Cron } from "croner";
import { label } from "../../api/labels.ts";
import type { NodeClaim } from "../../api/node-claim.ts";
import type { Budget, NodePool } from "../../api/node-pool.ts";
import { parseDuration } from "../../api/time.ts";
import { conditionOf, isTrue } from "../../state/conditions.ts";
import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";
import { isSurplus } from "./machines.ts";
import { onOwnDeletion } from "./own-deletions.ts";

/** As old as the world may be that a decision was made from: the timeout of the disruption function. */
const decisionMilliseconds = 60_000;

/**
 * Of one NodePool voluntary disruption never has more nodes on their way out than its budgets allow (karpenter-core §6.5). A decision
 * may be as old as its function may run: it is judged by the most generous moment of that time.
 */
export function poolBudgets(world: ObservedWorld): Invariant {
  return invariant("disruption budgets hold", world, (report) => {
    const { server } = world.cluster;
    const disrupted = new Set<string>();
    const sizes = new PoolSizes(() => world.loop.now());
    server.watch("NodeClaim", () => sizes.outdate());
    const look = () => sizes.look(() => server.list("NodeClaim").filter(isCounted));
    onOwnDeletion(world, "NodeClaim", (claim, by) => {
      if (by !== "disruption" || claim.metadata.deletionTimestamp !== undefined || isSurplus(world, claim)) return;
      disrupted.add(claim.metadata.uid ?? "");
      look();
      const pool = server.get("NodePool", { name: claim.metadata.labels?.[label.nodePool] ?? "" });
      if (pool === undefined) return;
      const going = server
        .list("NodeClaim")
        .filter((one) => poolOf(one) === pool.metadata.name && disrupted.has(one.metadata.uid ?? "") && isCounted(one));
      const reason = conditionOf(claim, "DisruptionReason")?.reason;
      const allowed = allowance(pool, reason, sizes.largest(pool.metadata.name), world.loop.now());
      if (going.length <= allowed.nodes) return;
      const names = going.map(({ metadata }) => metadata.name).join(", ");
      const seen = `${going.length} of its claims are disrupted at once (${names})`;
      report({ objects: `NodePool ${pool.metadata.name}`, seen, allowed: allowed.reason });
    });
    return { check: look };
  });
}

/** Initialized, and its instance not ending yet: what a percentage is taken of. */
function isCounted(claim: NodeClaim): boolean {
  return isTrue(claim, "Initialized") && !isTrue(claim, "InstanceTerminating");
}

function poolOf(claim: NodeClaim): string {
  return claim.metadata.labels?.[label.nodePool] ?? "";
}

/** How many counted claims each pool has had of late. */
class PoolSizes {
  readonly #now: () => number;
  #history: { readonly at: number; readonly sizes: ReadonlyMap<string, number> }[] = [];
  #isStale = true;

  constructor(now: () => number) {
    this.#now = now;
  }

  outdate(): void {
    this.#isStale = true;
  }

  look(claims: () => readonly NodeClaim[]): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const groups = [...Map.groupBy(claims(), poolOf)];
    this.#history.push({ at: this.#now(), sizes: new Map(groups.map(([pool, members]) => [pool, members.length])) });
    this.#forget();
  }

  largest(pool: string): number {
    this.#forget();
    return Math.max(0, ...this.#history.map(({ sizes }) => sizes.get(pool) ?? 0));
  }

  /** An entry holds until the next one. */
  #forget(): void {
    const first = this.#history.findLastIndex(({ at }) => at <= this.#now() - decisionMilliseconds);
    this.#history = this.#history.slice(Math.max(0, first));
  }
}

/** The tightest of the budgets that apply to the reason; all apply when none is given. */
function allowance(pool: NodePool, reason: string | undefined, total: number, now: number) {
  const applying = pool.spec.disruption.budgets.filter(
    ({ reasons }) => reasons === undefined || reason === undefined || reasons.some((one) => one === reason),
  );
  const limits = applying
    .filter((budget) => isInForce(budget, now) && isInForce(budget, now - decisionMilliseconds))
    .map((budget) => ({ nodes: limitOf(budget, total), reason: `budget ${budget.nodes} of ${total} nodes` }));
  const unlimited = { nodes: Number.POSITIVE_INFINITY, reason: "any number" };
  return limits.reduce((tightest, limit) => (limit.nodes < tightest.nodes ? limit : tightest), unlimited);
}

function limitOf({ nodes }: Budget, total: number): number {
  const amount = Number.parseInt(nodes, 10);
  return nodes.endsWith("%") ? Math.ceil((total * amount) / 100) : amount;
}

function isInForce({ schedule, duration }: Budget, at: number): boolean {
  if (schedule === undefined) return true;
  const windowMilliseconds = (parseDuration(duration ?? "") ?? 0) * 1_000;
  const cron = new Cron(schedule, { timezone: "UTC", mode: "5-part", paused: true });
  const opening = cron.nextRun(new Date(at - windowMilliseconds));
  return opening !== null && opening.getTime() <= at;
}
