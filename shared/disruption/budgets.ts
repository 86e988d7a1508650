import { Cron } from "croner";
import type { Budget, DisruptionReason, NodePool } from "../api/node-pool.ts";
import { parseDuration } from "../api/time.ts";

/** The nodes of one pool, as budgets count them (karpenter-core §6.5). */
export interface PoolNodes {
  /** Initialized nodes with a NodeClaim. */
  readonly total: number;
  /** Of these, the ones that are not Ready or on their way out, whatever the cause. */
  readonly unavailable: number;
}

export interface Allowance {
  readonly nodes: number;
  /** The budget that decides, in words. */
  readonly reason: string;
}

/** How many more nodes of a pool may be disrupted for a reason now: the tightest of its active budgets that apply. */
export function allowance(pool: NodePool, reason: DisruptionReason, nodes: PoolNodes, now: number): Allowance {
  const limits = pool.spec.disruption.budgets
    .filter((budget) => budget.reasons === undefined || budget.reasons.includes(reason))
    .map((budget) => ({ budget, limit: limitOf(budget, nodes.total, now) }))
    .sort((a, b) => a.limit - b.limit);
  const [tightest] = limits;
  if (tightest === undefined || tightest.limit === Number.POSITIVE_INFINITY) {
    return { nodes: Number.POSITIVE_INFINITY, reason: `no budget of NodePool ${pool.metadata.name} is active` };
  }
  const { budget, limit } = tightest;
  const window = budget.schedule === undefined ? "" : ` (schedule ${budget.schedule} for ${budget.duration ?? "?"})`;
  const words = `budget ${budget.nodes}${window} of NodePool ${pool.metadata.name} allows ${limit} of ${nodes.total} nodes`;
  return { nodes: Math.max(0, limit - nodes.unavailable), reason: `${words}, ${nodes.unavailable} are unavailable` };
}

/** Infinity while the budget is not in force; 0 when its schedule or value cannot be read: a mistake must not disrupt. */
function limitOf(budget: Budget, total: number, now: number): number {
  const isActive = isInForce(budget, now);
  if (isActive === undefined) return 0;
  if (!isActive) return Number.POSITIVE_INFINITY;
  const amount = Number.parseInt(budget.nodes, 10);
  if (Number.isNaN(amount)) return 0;
  return budget.nodes.endsWith("%") ? Math.ceil((total * amount) / 100) : amount;
}

/** In force: the schedule's first hit after `now - duration`, in UTC, is not after now. Undefined when it cannot be read. */
function isInForce(budget: Budget, now: number): boolean | undefined {
  if (budget.schedule === undefined) return true;
  const seconds = parseDuration(budget.duration ?? "");
  if (seconds === undefined) return undefined;
  try {
    const schedule = new Cron(budget.schedule, { timezone: "UTC", mode: "5-part", paused: true });
    const hit = schedule.nextRun(new Date(now - seconds * 1_000));
    return hit !== null && hit.getTime() <= now;
  } catch {
    return undefined;
  }
}
