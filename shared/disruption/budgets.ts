import { Cron } from "croner";
import { cronFault } from "../api/cron-syntax.ts";
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
    .filter(({ reasons }) => reasons === undefined || reasons.includes(reason))
    .map((budget) => ({ budget, ...limitOf(budget, nodes.total, now) }))
    .sort((a, b) => a.limit - b.limit);
  const [tightest] = limits;
  if (tightest === undefined || tightest.limit === Number.POSITIVE_INFINITY) {
    return { nodes: Number.POSITIVE_INFINITY, reason: `no budget of NodePool ${pool.metadata.name} is active` };
  }
  const { budget, limit, error } = tightest;
  const name = `budget ${describeBudget(budget)} of NodePool ${pool.metadata.name}`;
  if (error !== undefined) return { nodes: 0, reason: `${name} cannot be read and allows nothing: ${error}` };
  const words = `${name} allows ${limit} of ${nodes.total} nodes, ${nodes.unavailable} are unavailable`;
  return { nodes: Math.max(0, limit - nodes.unavailable), reason: words };
}

interface Limit {
  /** Infinity while the budget is not in force. */
  readonly limit: number;
  /** Why the budget cannot be read; its limit is then 0, for a mistake must not disrupt. */
  readonly error?: string;
}

function limitOf(budget: Budget, total: number, now: number): Limit {
  const inForce = isInForce(budget, now);
  if (typeof inForce === "string") return { limit: 0, error: inForce };
  if (!inForce) return { limit: Number.POSITIVE_INFINITY };
  const [, amount, percent] = /^(\d+)(%?)$/.exec(budget.nodes) ?? [];
  if (amount === undefined) {
    return { limit: 0, error: `nodes: found ${JSON.stringify(budget.nodes)}, expected a count or a share such as 10%` };
  }
  return { limit: percent === "%" ? Math.ceil((total * Number(amount)) / 100) : Number(amount) };
}

/**
 * Whether the window is open: the schedule's first hit after `now - duration`, in UTC, is not after now (karpenter-core §6.5). In
 * words, why that cannot be said.
 */
function isInForce({ schedule, duration }: Budget, now: number): boolean | string {
  if (schedule === undefined) return true;
  const fault = cronFault(schedule);
  if (fault !== undefined) return `schedule: found ${JSON.stringify(schedule)}, expected ${fault}`;
  const seconds = parseDuration(duration ?? "");
  if (seconds === undefined)
    return `duration: found ${JSON.stringify(duration)}, expected hours and minutes such as 1h30m`;
  const hit = new Cron(schedule, { timezone: "UTC", mode: "5-part", paused: true }).nextRun(
    new Date(now - seconds * 1_000),
  );
  return hit !== null && hit.getTime() <= now;
}

function describeBudget({ nodes, schedule, duration }: Budget): string {
  return schedule === undefined ? nodes : `${nodes} (schedule ${schedule} for ${duration ?? "?"})`;
}
