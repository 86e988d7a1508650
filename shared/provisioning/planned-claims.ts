import { nodeClaimName } from "../cloud/node-claim-name.ts";
import type { Requirements } from "../scheduling/requirements.ts";
import type { Resources } from "../scheduling/resources.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { ClaimRequirements } from "./claim-requirements.ts";
import { limitShares } from "./limit-shares.ts";
import type { NewDemand, Unit, UnitPart } from "./new-demand.ts";
import type { PoolOptions } from "./node-options.ts";
import type { Contents, Packing } from "./packing/problem.ts";
import type { PosedProblem } from "./packing-problem.ts";
import { HolderFinder, type Offerings } from "./ranked-holders.ts";
import { unitRequests } from "./unit-options.ts";
import { withoutAttachments } from "./volume-constraints.ts";

/** A node to be launched, before its offering is settled: the spread over spot pools may still prefer another. */
export interface ClaimDraft {
  readonly name: string;
  readonly nodePool: string;
  readonly pool: PoolOptions;
  readonly pods: readonly PodRecord[];
  readonly offerings: Offerings;
  /** How many of them, from the first, keep the NodePool's limits. */
  readonly choosable: number;
  /** Of the pool and the pods, narrowed to the offerings. */
  readonly requirements: Requirements;
  /** Whether the NodePool's `minValues` had to be lowered (`minValuesPolicy` BestEffort). */
  readonly minValuesRelaxed: boolean;
  readonly podRequests: Resources;
  /** The NodePool's share of on-demand nodes has moved it off spot. */
  readonly isOfOnDemandShare?: true;
}

/** Turns packed nodes into drafts of NodeClaims, handing units and the demands' pods out in order. */
export function claimDrafts(
  posed: PosedProblem,
  packing: Packing,
  demands: readonly NewDemand[],
  pools: readonly PoolOptions[],
): readonly ClaimDraft[] {
  const handout = new UnitHandout(posed.lots);
  const next = demands.map(() => 0);
  const take = ({ demand, pods }: UnitPart): readonly PodRecord[] => {
    const from = next[demand] ?? 0;
    next[demand] = from + pods;
    return demands[demand]?.pods.slice(from, from + pods) ?? [];
  };
  const holders = new HolderFinder(demands, posed.problem.dimensions, limitShares(posed.problem, packing));
  const requirements = new ClaimRequirements(demands);
  const poolOf = new Map(pools.map((pool) => [pool.pool.metadata.name, pool]));
  return packing.nodes.map((node) => {
    const { parts, contents } = handout.take(node.contents);
    const option = posed.options[node.column];
    const pool = poolOf.get(option?.pool ?? "");
    if (option === undefined || pool === undefined)
      throw new RangeError(`packed node of unknown column ${node.column}`);
    const pods = parts.flatMap(take);
    const found = holders.holdersOf(option, pool, parts, contents);
    const nodePool = pool.pool.metadata.name;
    const uids = pods.map((pod) => pod.uid);
    return {
      name: nodeClaimName(nodePool, uids),
      nodePool,
      pool,
      pods,
      offerings: found.offerings,
      choosable: found.choosable,
      requirements: requirements.of(pool, parts, found),
      minValuesRelaxed: found.isRelaxed,
      podRequests: withoutAttachments(unitRequests(demands, parts)),
    };
  });
}

interface HandedOut {
  /** Parts of all units on a node, one entry for each demand. */
  readonly parts: readonly UnitPart[];
  /** Equal for nodes with equal units. */
  readonly contents: string;
}

/** Gives the equal units of each item to nodes, in order. */
class UnitHandout {
  readonly #lots: readonly (readonly Unit[])[];
  /** By item, where in its lot the next unit is, and how many of that one are gone. */
  readonly #at: Int32Array;
  readonly #taken: Int32Array;

  constructor(lots: readonly (readonly Unit[])[]) {
    this.#lots = lots;
    this.#at = new Int32Array(lots.length);
    this.#taken = new Int32Array(lots.length);
  }

  take({ items, counts }: Contents): HandedOut {
    const pods = new Map<number, number>();
    for (const [position, item] of items.entries()) {
      for (let left = counts[position] ?? 0; left > 0; ) {
        const { unit, times } = this.#next(item, left);
        for (const part of unit.parts) pods.set(part.demand, (pods.get(part.demand) ?? 0) + times * part.pods);
        left -= times;
      }
    }
    return {
      parts: [...pods].map(([demand, count]) => ({ demand, pods: count })),
      contents: `${items.join()} ${counts.join()}`,
    };
  }

  /** The next unit of an item, as often as it is left and wanted. */
  #next(item: number, wanted: number): { readonly unit: Unit; readonly times: number } {
    const at = this.#at[item] ?? 0;
    const unit = this.#lots[item]?.[at];
    if (unit === undefined) throw new RangeError(`packed more units of item ${item} than there are`);
    const taken = this.#taken[item] ?? 0;
    const times = Math.min(wanted, unit.count - taken);
    const isUsedUp = taken + times === unit.count;
    this.#at[item] = isUsedUp ? at + 1 : at;
    this.#taken[item] = isUsedUp ? 0 : taken + times;
    return { unit, times };
  }
}
