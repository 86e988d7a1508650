import { label } from "../api/labels.ts";
import { allows, describeRequirement, firstConflict, type Requirements } from "../scheduling/requirements.ts";
import { fits, formatResources } from "../scheduling/resources.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";

/** Whether an option is sold in a zone that the pod allows. */
export function isSoldInAllowedZone(option: NodeOption, wanted: Requirements): boolean {
  const zone = wanted.get(label.zone);
  return option.offerings.some((offering) => zone === undefined || allows(zone, offering.zone));
}

/**
 * Why none of a NodePool's options takes a pod, in one sentence: the requirement that no option meets, the resource that none has, or
 * what the nearest instance type lacks. `options` are those that meet the pod's requirements.
 */
export function whyNothingFits(
  constraints: PodConstraints,
  wanted: Requirements,
  pool: PoolOptions,
  options: readonly NodeOption[],
): string {
  if (pool.options.length === 0) return "no instance type meets the NodePool's requirements, or none is available now";
  if (options.length === 0) return unmetRequirement(wanted, pool);
  const missing = Object.keys(constraints.requests)
    .sort()
    .find((resource) => isAsked(constraints, resource) && options.every(({ free }) => (free[resource] ?? 0) <= 0));
  if (missing !== undefined) return `no instance type that the NodePool and the pod allow has ${missing}`;
  return lackOfNearest(constraints, options);
}

function isAsked({ requests }: PodConstraints, resource: string): boolean {
  return (requests[resource] ?? 0) > 0;
}

/** The first requirement that no option meets by itself; else it is their combination. */
function unmetRequirement(wanted: Requirements, { options }: PoolOptions): string {
  const keys = [...wanted.keys()].sort();
  const unmet = keys.find((key) => !options.some((option) => meets(option, wanted, key)));
  const requirement = unmet === undefined ? undefined : wanted.get(unmet);
  if (requirement !== undefined) {
    return `nothing that the NodePool can launch now has ${describeRequirement(requirement)}`;
  }
  const all = keys.flatMap((key) => wanted.get(key) ?? []).map(describeRequirement);
  return `nothing that the NodePool can launch now has all of ${all.join(" and ")}`;
}

function meets(option: NodeOption, wanted: Requirements, key: string): boolean {
  if (key === label.zone) return isSoldInAllowedZone(option, wanted);
  const requirement = wanted.get(key);
  return requirement === undefined || firstConflict(option.requirements, new Map([[key, requirement]])) === undefined;
}

/** The nearest instance type lacks the fewest resources; of several it is the one with the most CPU. */
function lackOfNearest(constraints: PodConstraints, options: readonly NodeOption[]): string {
  const nearest = options.reduce((best, option) => {
    const fewer = shortages(constraints, best).length - shortages(constraints, option).length;
    const larger = (option.free.cpu ?? 0) - (best.free.cpu ?? 0);
    return fewer > 0 || (fewer === 0 && larger > 0) ? option : best;
  });
  const short = shortages(constraints, nearest).map((resource) => {
    const asked = amount(resource, constraints.requests[resource] ?? 0);
    return `${resource} ${asked} (has ${amount(resource, Math.max(0, nearest.free[resource] ?? 0))})`;
  });
  if (short.length === 0) return "no instance type is large enough for the DaemonSets that run on it";
  const types = new Set(options.map(({ instanceType }) => instanceType.name)).size;
  const among = types === 1 ? "" : `the nearest of ${types}, `;
  return `no instance type is large enough: ${among}${nearest.instanceType.name}, lacks ${short.join(", ")}`;
}

/** CPU in cores, however many, so that two amounts can be compared at a glance. */
function amount(resource: string, value: number): string {
  if (resource === "cpu") return String(value / 1_000);
  return formatResources({ [resource]: value })[resource] ?? String(value);
}

function shortages(constraints: PodConstraints, option: NodeOption): readonly string[] {
  return Object.keys(constraints.requests)
    .filter((resource) => !fits({ [resource]: constraints.requests[resource] ?? 0 }, option.free))
    .sort();
}
