import { wellKnownLabels } from "../api/labels.ts";
import { formatHostPort, hostPortConflict, parseHostPort } from "../scheduling/host-ports.ts";
import {
  describeConflict,
  firstConflict,
  firstIncompatibility,
  type Requirements,
} from "../scheduling/requirements.ts";
import { fits } from "../scheduling/resources.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import { isExotic } from "./exotic-types.ts";
import type { NodeOption, PlanningPools, PoolOptions, PoolRejection } from "./node-options.ts";
import { weightOf } from "./node-options.ts";
import { isSoldInAllowedZone, whyNothingFits } from "./why-nothing-fits.ts";

/** The nodes that could hold one pod of a class. */
export interface ClassOptions {
  /** Requirements of the OR-term that is used. */
  readonly requirements: Requirements;
  /** By NodePool weight, heaviest first: a heavier pool is used while it can be. Equal weights compete on price. */
  readonly tiers: readonly (readonly NodeOption[])[];
  /** Why each other pool cannot take it. */
  readonly rejections: readonly PoolRejection[];
}

/**
 * Matches a class against every NodePool. Of several required OR-terms the first that some pool can serve is used, as Karpenter
 * consumes them (karpenter-core §2.4); with none, the last term's reasons are given.
 */
export function classOptions(constraints: PodConstraints, pools: PlanningPools): ClassOptions {
  let last: ClassOptions = { requirements: new Map(), tiers: [], rejections: pools.rejected };
  for (const wanted of constraints.nodeAlternatives) {
    last = optionsFor(constraints, wanted, pools);
    if (last.tiers.length > 0) return last;
  }
  return last;
}

function optionsFor(
  constraints: PodConstraints,
  wanted: Requirements,
  { pools, rejected }: PlanningPools,
): ClassOptions {
  const rejections = [...rejected];
  const byWeight = new Map<number, NodeOption[]>();
  for (const pool of pools) {
    const match = matchPool(constraints, wanted, pool);
    if ("reason" in match) {
      rejections.push({ nodePool: pool.pool.metadata.name, reason: match.reason });
    } else {
      const weight = weightOf(pool.pool);
      byWeight.set(weight, [...(byWeight.get(weight) ?? []), ...match.options]);
    }
  }
  return { requirements: wanted, tiers: [...byWeight.values()], rejections };
}

function matchPool(
  constraints: PodConstraints,
  wanted: Requirements,
  pool: PoolOptions,
): { readonly options: readonly NodeOption[] } | { readonly reason: string } {
  const taint = firstUntolerated(pool.taints, constraints.tolerations);
  if (taint !== undefined) {
    return {
      reason: `does not tolerate the taint ${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`,
    };
  }
  const conflict = firstIncompatibility(pool.requirements, wanted, wellKnownLabels);
  if (conflict !== undefined) return { reason: describeConflict(conflict) };
  const options = pool.options
    .filter((option) => firstConflict(option.requirements, wanted) === undefined)
    .filter((option) => isSoldInAllowedZone(option, wanted));
  const wantedPorts = constraints.hostPorts.map(parseHostPort);
  const takenBy = (option: NodeOption) => hostPortConflict(option.daemonHostPorts.map(parseHostPort), wantedPorts);
  const portFree = wantedPorts.length === 0 ? options : options.filter((option) => takenBy(option) === undefined);
  const [first] = options;
  if (portFree.length === 0 && first !== undefined) {
    const taken = takenBy(first);
    return {
      reason: `a DaemonSet takes the host port ${taken === undefined ? "" : formatHostPort(taken)} on every node`,
    };
  }
  const fitting = portFree.filter((option) => fits(constraints.requests, option.free) && holdsItsDaemons(option));
  const ordinary = fitting.filter((option) => !isExotic(option.instanceType));
  if (ordinary.length > 0) return { options: ordinary };
  return fitting.length > 0 ? { options: fitting } : { reason: whyNothingFits(constraints, wanted, pool, options) };
}

/** A node too small for its DaemonSets is not made for pods that ask for none of what is short. */
function holdsItsDaemons({ free }: NodeOption): boolean {
  return Object.values(free).every((amount) => amount >= 0);
}
