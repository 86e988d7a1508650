import type { Pod } from "./core.ts";
import type { PriorityClass } from "./policy.ts";

/** The classes that every cluster has. */
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);

/**
 * The priority that the API server's Priority admission would give the pod: what it already states, else its class's value, else the
 * smallest global default, else 0. A class that is not among the given ones counts as 0; {@link knowsPriorityClass} tells.
 */
export function resolvePriority(pod: Pod, priorityClasses: readonly PriorityClass[]): number {
  const { priority, priorityClassName } = pod.spec;
  if (priority !== undefined) return priority;
  if (priorityClassName === undefined || priorityClassName === "") return defaultPriority(priorityClasses);
  const named = priorityClasses.find(({ metadata }) => metadata.name === priorityClassName);
  return named?.value ?? systemPriorities.get(priorityClassName) ?? 0;
}

/** Whether a PriorityClass of that name is given or built in. */
export function knowsPriorityClass(name: string, priorityClasses: readonly PriorityClass[]): boolean {
  return systemPriorities.has(name) || priorityClasses.some(({ metadata }) => metadata.name === name);
}

function defaultPriority(priorityClasses: readonly PriorityClass[]): number {
  const defaults = priorityClasses.filter(({ globalDefault }) => globalDefault === true).map(({ value }) => value);
  return defaults.length === 0 ? 0 : Math.min(...defaults);
}
