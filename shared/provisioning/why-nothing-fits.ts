import { label } from "../api/labels.ts";
import { allows, describeRequirement, firstConflict, type Requirements } from "../scheduling/requirements.ts";
import { fits, formatResources, maxResources } from "../scheduling/resources.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { NodeOption, PoolOptions } from "./node-options.ts";
import type { RefusalDetail } from "./plan.ts";
import { listedValues, requirementText } from "./requirement-text.ts";

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
): RefusalDetail {
  if (pool.options.length === 0)
    return pool.whyNoOptions ?? { reason: "no instance type meets the NodePool's requirements" };
  if (options.length === 0) return unmetRequirement(wanted, pool);
  const missing = Object.keys(constraints.requests)
    .sort()
    .find((resource) => isAsked(constraints, resource) && options.every(({ free }) => (free[resource] ?? 0) <= 0));
  const crowded = missing === undefined ? undefined : crowdedOut(missing, options);
  if (missing === undefined) return lackOfNearest(constraints, options);
  return (
    crowded ?? {
      reason: `no instance type that the NodePool and the pod allow has ${missing}`,
      key: missing,
      found: amount(missing, constraints.requests[missing] ?? 0),
      accepted: `no ${missing} at all, or a NodePool whose instance types have it`,
    }
  );
}

function isAsked({ requests }: PodConstraints, resource: string): boolean {
  return (requests[resource] ?? 0) > 0;
}

/** The first requirement that no option meets by itself; else it is their combination. */
function unmetRequirement(wanted: Requirements, { options }: PoolOptions): RefusalDetail {
  const keys = [...wanted.keys()].sort();
  const unmet = keys.find((key) => !options.some((option) => meets(option, wanted, key)));
  const requirement = unmet === undefined ? undefined : wanted.get(unmet);
  if (requirement !== undefined) {
    return {
      reason: `nothing that the NodePool can launch now has ${describeRequirement(requirement)}`,
      key: requirement.key,
      found: requirementText(requirement),
      accepted: valuesOf(options, requirement.key),
    };
  }
  return unmetCombination(wanted, keys, options);
}

/** The nearest instance type meets all but the fewest of the requirements. */
function unmetCombination(
  wanted: Requirements,
  keys: readonly string[],
  options: readonly NodeOption[],
): RefusalDetail {
  const all = keys.flatMap((key) => wanted.get(key) ?? []).map(describeRequirement);
  const reason = `nothing that the NodePool can launch now has all of ${all.join(" and ")}`;
  const nearest = options
    .map((option) => ({ option, lacking: keys.filter((key) => !meets(option, wanted, key)) }))
    .reduce((best, one) => (one.lacking.length < best.lacking.length ? one : best));
  const key = nearest.lacking[0] ?? "";
  const requirement = wanted.get(key);
  if (requirement === undefined) return { reason };
  const has = valuesOf([nearest.option], key);
  const { name } = nearest.option.instanceType;
  return {
    reason: `${reason}; the nearest, ${name}, has ${key} ${has}`,
    key,
    found: requirementText(requirement),
    accepted: has,
    nearestType: `${name}, lacks ${nearest.lacking
      .flatMap((lacked) => wanted.get(lacked) ?? [])
      .map(describeRequirement)
      .join(" and ")}`,
  };
}

function meets(option: NodeOption, wanted: Requirements, key: string): boolean {
  if (key === label.zone) return isSoldInAllowedZone(option, wanted);
  const requirement = wanted.get(key);
  return requirement === undefined || firstConflict(option.requirements, new Map([[key, requirement]])) === undefined;
}

/** The values of a label that these options have, as `In [a, b]`. */
function valuesOf(options: readonly NodeOption[], key: string): string {
  return listedValues(
    options.flatMap((option) => {
      if (key === label.zone) return option.offerings.map(({ zone }) => zone);
      const found = option.requirements.get(key);
      return found === undefined || found.complement ? [] : [...found.values];
    }),
  );
}

/** No option has anything of a resource left, because DaemonSets ask for all of it or more. */
function crowdedOut(resource: string, options: readonly NodeOption[]): RefusalDetail | undefined {
  const largest = options.reduce((best, option) => (has(option, resource) > has(best, resource) ? option : best));
  if (has(largest, resource) <= 0) return undefined;
  const asked = largest.daemonRequests[resource] ?? 0;
  const greediest = largest.daemons.reduce((a, b) =>
    (b.requests[resource] ?? 0) > (a.requests[resource] ?? 0) ? b : a,
  );
  const { name } = largest.instanceType;
  const [wanted, there] = [amount(resource, asked), amount(resource, has(largest, resource))];
  return {
    reason:
      `no instance type is large enough for the DaemonSets that run on it: they ask for ${resource} ${wanted}, ` +
      `most of it DaemonSet ${greediest.name}, and ${name} has ${there}`,
    key: resource,
    found: `${wanted} for DaemonSets, most of it for ${greediest.name}`,
    accepted: `less than ${there}`,
    nearestType: `${name}, has ${resource} ${there}`,
  };
}

function has({ instanceType }: NodeOption, resource: string): number {
  return instanceType.allocatable[resource] ?? 0;
}

/** The nearest instance type lacks the fewest resources; of several it is the one that lacks the least of them, then the larger one. */
function lackOfNearest(constraints: PodConstraints, options: readonly NodeOption[]): RefusalDetail {
  const nearest = options
    .map((option) => ({ option, short: shortages(constraints, option) }))
    .reduce((best, one) => {
      const fewer = best.short.length - one.short.length;
      const closer = coverage(constraints, one) - coverage(constraints, best);
      const larger = (one.option.free.cpu ?? 0) - (best.option.free.cpu ?? 0);
      return fewer > 0 || (fewer === 0 && (closer > 0 || (closer === 0 && larger > 0))) ? one : best;
    }).option;
  const lacking = shortages(constraints, nearest);
  const [key] = lacking;
  if (key === undefined) {
    const crowded = Object.keys(nearest.free)
      .sort()
      .find((resource) => (nearest.free[resource] ?? 0) < 0);
    const refusal = crowded === undefined ? undefined : crowdedOut(crowded, options);
    return refusal ?? { reason: "no instance type is large enough for the DaemonSets that run on it" };
  }
  const short = lacking.map((resource) => {
    const asked = amount(resource, constraints.requests[resource] ?? 0);
    return `${resource} ${asked} (has ${amount(resource, Math.max(0, nearest.free[resource] ?? 0))})`;
  });
  const types = new Set(options.map(({ instanceType }) => instanceType.name)).size;
  const among = types === 1 ? "" : `the nearest of ${types}, `;
  const lack = `${nearest.instanceType.name}, lacks ${short.join(", ")}`;
  const most = Math.max(0, maxResources(...options.map(({ free }) => free))[key] ?? 0);
  return {
    reason: `no instance type is large enough: ${among}${lack}`,
    key,
    found: amount(key, constraints.requests[key] ?? 0),
    accepted: `at most ${amount(key, most)}`,
    nearestType: lack,
  };
}

/** How much of what it lacks an option has: the sum of the shares of what is asked. */
function coverage(
  { requests }: PodConstraints,
  lacking: { readonly option: NodeOption; readonly short: readonly string[] },
) {
  const { option, short } = lacking;
  return short.reduce((sum, name) => sum + Math.max(0, option.free[name] ?? 0) / (requests[name] ?? 1), 0);
}

/** CPU in cores, however many, so that two amounts can be compared at a glance. */
function amount(resource: string, value: number): string {
  if (value >= Number.MAX_SAFE_INTEGER) return `over ${amount(resource, mostReadable(resource))}`;
  if (resource === "cpu") return String(value / 1_000);
  return formatResources({ [resource]: value })[resource] ?? String(value);
}

/** Quantities beyond what a number holds exactly are cut off there: a round one below says it better. */
function mostReadable(resource: string): number {
  return resource === "cpu" ? 9e15 : 2 ** 52;
}

function shortages(constraints: PodConstraints, option: NodeOption): readonly string[] {
  return Object.keys(constraints.requests)
    .filter((resource) => !fits({ [resource]: constraints.requests[resource] ?? 0 }, option.free))
    .sort();
}
