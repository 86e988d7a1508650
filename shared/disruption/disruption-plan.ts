import { bufferHosts } from "../provisioning/buffer-plan.ts";
import { withBufferPods } from "../state/buffer-pods.ts";
import { type ClusterNode, clusterNodes } from "../state/cluster-nodes.ts";
import { isTrue } from "../state/conditions.ts";
import type { Snapshot } from "../state/snapshot.ts";
import type { PoolNodes } from "./budgets.ts";
import { type Candidate, type DisruptionDecision, disruptionCandidates } from "./candidates.ts";
import { type DisruptionCommand, type DisruptionWorld, emptiness, type MethodResult } from "./emptiness.ts";

export interface DisruptionPlan {
  /** One command at a time (design §4.4): what it frees may change what the next would do. */
  readonly command?: DisruptionCommand;
  /** One for each NodeClaim that was looked at. */
  readonly decisions: readonly DisruptionDecision[];
}

type DisruptionMethod = (candidates: readonly Candidate[], world: DisruptionWorld) => MethodResult;

/** In order; the first that finds something to do ends the pass (karpenter-core §6.1). */
const methods: readonly DisruptionMethod[] = [emptiness];

/** What voluntary disruption would do in this world, and why each node is kept or not. */
export function planDisruption(snapshot: Snapshot): DisruptionPlan {
  const { candidates, kept } = disruptionCandidates(withBufferPods(snapshot));
  const world = {
    now: snapshot.now,
    poolNodes: poolNodes(clusterNodes(snapshot)),
    bufferHosts: bufferHosts(snapshot),
  };
  let decisions: readonly DisruptionDecision[] = [];
  for (const method of methods) {
    const result = method(candidates, world);
    decisions = result.decisions;
    if (result.command !== undefined) return { command: result.command, decisions: [...kept, ...decisions] };
  }
  return { decisions: [...kept, ...decisions] };
}

function poolNodes(nodes: readonly ClusterNode[]): ReadonlyMap<string, PoolNodes> {
  const counted = nodes.filter(
    ({ nodeClaim, initialized }) => nodeClaim !== undefined && initialized && !isTrue(nodeClaim, "InstanceTerminating"),
  );
  const groups = Map.groupBy(counted, (node) => node.nodePool ?? "");
  return new Map(
    [...groups].map(([pool, members]) => {
      const unavailable = members.filter(
        ({ node, leaving }) => leaving || node === undefined || !isTrue(node, "Ready"),
      );
      return [pool, { total: members.length, unavailable: unavailable.length }];
    }),
  );
}
