import type { PodSpec } from "../../api/core.ts";
import { label } from "../../api/labels.ts";
import type { Taint } from "../../api/schema.ts";
import { type HostPort, parseHostPort } from "../../scheduling/host-ports.ts";
import { firstUntolerated } from "../../scheduling/taints.ts";
import type { PoolOptions } from "../node-options.ts";
import type { Edit, EditPath } from "./edit.ts";
import { type Question, refusedKeys } from "./question.ts";

const target = { kind: "Pod" } as const;

/** Edits of what the pod says about taints, host ports and other pods. */
export function placementEdits(question: Question): readonly Edit[] {
  return [
    ...tolerationEdits(question),
    ...refusedKeys(question).flatMap((key) => [
      ...(key === "hostPort" ? hostPortEdits(question) : []),
      ...spreadEdits(question.pod.constraints.spec, key),
      ...affinityEdits(question.pod.constraints.spec, key),
    ]),
  ];
}

/** The taints of a NodePool that the pod does not tolerate. */
export function untolerated({ pod }: Question, { taints }: PoolOptions): readonly Taint[] {
  return taints.filter((taint) => firstUntolerated([taint], pod.constraints.tolerations) !== undefined);
}

/** A toleration for the taint of each NodePool that is kept by one taint alone. */
function tolerationEdits(question: Question): readonly Edit[] {
  const { tolerations = [] } = question.pod.constraints.spec;
  const single = question.pools.flatMap((pool) => {
    const [taint, another] = untolerated(question, pool);
    return taint === undefined || another !== undefined ? [] : [taint];
  });
  const wanted = single.map((taint) => tolerationOf(taint));
  const distinct = new Map(wanted.map((toleration) => [JSON.stringify(toleration), toleration]));
  const at = ["spec", "tolerations", tolerations.length];
  return [...distinct.values()].map((to) => ({ target, at, to, size: "tolerate" }));
}

function tolerationOf({ key, value, effect }: Taint) {
  return value ? { key, operator: "Equal", value, effect } : { key, operator: "Exists", effect };
}

/** The port changed to the next one that nobody is known to take, or given up. */
function hostPortEdits({ pod, pools }: Question): readonly Edit[] {
  const { containers, hostNetwork = false } = pod.constraints.spec;
  const daemonPorts = pools.flatMap(({ options }) => options[0]?.daemons ?? []).flatMap(({ hostPorts }) => hostPorts);
  const taken = [...daemonPorts, ...pod.constraints.hostPorts].map(parseHostPort);
  return containers.flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort, containerPort, protocol = "TCP" }, index): readonly Edit[] => {
      const number = hostPort ?? (hostNetwork ? containerPort : undefined);
      if (number === undefined || !isDaemons(number, protocol, daemonPorts.map(parseHostPort))) return [];
      const at = ["spec", "containers", container, "ports", index, hostNetwork ? "containerPort" : "hostPort"];
      const free = nextFree(number, protocol, taken);
      const changed: Edit = { target, at, from: number, to: free, size: "soften" };
      return hostNetwork ? [changed] : [changed, { target, at, from: number, size: "drop" }];
    }),
  );
}

function isDaemons(number: number, protocol: string, ports: readonly HostPort[]): boolean {
  return ports.some((port) => port.port === number && port.protocol === protocol);
}

function nextFree(number: number, protocol: string, taken: readonly HostPort[]): number {
  let candidate = number + 1;
  while (isDaemons(candidate, protocol, taken)) candidate++;
  return candidate;
}

/** How far a skew is raised before the rule is rather given up. */
const skewSteps = [1, 2, 4];

function spreadEdits({ topologySpreadConstraints = [] }: PodSpec, key: string): readonly Edit[] {
  return topologySpreadConstraints.flatMap((constraint, index): readonly Edit[] => {
    if (constraint.topologyKey !== key || constraint.whenUnsatisfiable !== "DoNotSchedule") return [];
    const at: EditPath = ["spec", "topologySpreadConstraints", index];
    const { maxSkew, minDomains, whenUnsatisfiable } = constraint;
    const fewer: Edit[] =
      minDomains === undefined ? [] : [{ target, at: [...at, "minDomains"], from: minDomains, size: "soften" }];
    const wider = skewSteps.map(
      (step): Edit => ({ target, at: [...at, "maxSkew"], from: maxSkew, to: maxSkew + step, size: "soften" }),
    );
    const soft: Edit = {
      target,
      at: [...at, "whenUnsatisfiable"],
      from: whenUnsatisfiable,
      to: "ScheduleAnyway",
      size: "soften",
    };
    return [...fewer, ...wider, soft];
  });
}

function affinityEdits({ affinity }: PodSpec, key: string): readonly Edit[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => {
    const terms = affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    return terms.flatMap((term, index): readonly Edit[] => {
      if (term.topologyKey !== key) return [];
      const at = ["spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution", index];
      const dropped: Edit = { target, at, from: term, size: "drop" };
      if (kind === "podAffinity" || key === label.hostname) return [dropped];
      const apart: Edit = { target, at: [...at, "topologyKey"], from: key, to: label.hostname, size: "soften" };
      return [apart, dropped];
    });
  });
}
