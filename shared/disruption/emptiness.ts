import { allowance, type PoolNodes } from "./budgets.ts";
import type { Candidate, DisruptionDecision } from "./candidates.ts";
import { consolidationObstacle } from "./consolidatable.ts";

export interface DisruptionWorld {
  readonly now: number;
  /** By pool name. */
  readonly poolNodes: ReadonlyMap<string, PoolNodes>;
  /** By node name: the CapacityBuffer that has room there. Such a node is not empty; other methods may still move the room. */
  readonly bufferHosts: ReadonlyMap<string, string>;
}

/** Nodes to be disrupted together, and why. */
export interface DisruptionCommand {
  readonly reason: "Empty";
  readonly candidates: readonly Candidate[];
}

export interface MethodResult {
  readonly command?: DisruptionCommand;
  readonly decisions: readonly DisruptionDecision[];
}

/**
 * Nodes that nothing needs: no pod that would run elsewhere, quiet for the pool's consolidateAfter, within the pool's budgets
 * (karpenter-core §6.1, §6.4). Stricter than Karpenter, which also calls a node empty whose pods all have very low priority.
 */
export function emptiness(candidates: readonly Candidate[], world: DisruptionWorld): MethodResult {
  const allowed = new Map<string, number>();
  const chosen: Candidate[] = [];
  const decisions = candidates.map((candidate): DisruptionDecision => {
    const { claim, pool } = candidate;
    const nodeClaim = claim.metadata.name;
    const obstacle = emptinessObstacle(candidate, world);
    if (obstacle !== undefined) return { nodeClaim, outcome: "keep", reason: obstacle };
    const nodes = world.poolNodes.get(pool.metadata.name) ?? { total: 0, unavailable: 0 };
    const budget = allowance(pool, "Empty", nodes, world.now);
    const left = allowed.get(pool.metadata.name) ?? budget.nodes;
    if (left < 1) return { nodeClaim, outcome: "keep", reason: `it is empty, but ${budget.reason}` };
    allowed.set(pool.metadata.name, left - 1);
    chosen.push(candidate);
    return { nodeClaim, outcome: "disrupt", reason: "it is empty" };
  });
  return chosen.length === 0 ? { decisions } : { decisions, command: { reason: "Empty", candidates: chosen } };
}

function emptinessObstacle(candidate: Candidate, { now, bufferHosts }: DisruptionWorld): string | undefined {
  const { claim, node, pool, reschedulable, podObstacle } = candidate;
  const buffer = bufferHosts.get(node.metadata.name);
  if (reschedulable.length > 0) return `${reschedulable.length} pods run on it`;
  if (buffer !== undefined) return `it has room for CapacityBuffer ${buffer}`;
  return podObstacle ?? consolidationObstacle(claim, pool, now);
}
