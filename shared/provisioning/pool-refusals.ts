import { label } from "../api/labels.ts";
import type { Taint } from "../api/schema.ts";
import { type HostPort, hostPortConflict, parseHostPort } from "../scheduling/host-ports.ts";
import {
  describeConflict,
  describeRequirement,
  isImpossible,
  type Requirement,
  type RequirementConflict,
} from "../scheduling/requirements.ts";
import type { PodConstraints } from "../state/pod-record.ts";
import type { NodeOption } from "./node-options.ts";
import type { RefusalDetail } from "./plan.ts";
import { requirementText } from "./requirement-text.ts";

export function taintRefusal(taint: Taint, { tolerations }: PodConstraints): RefusalDetail {
  const text = `${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`;
  const own = tolerations.map(
    ({ key = "", operator = "Equal", value = "", effect = "any effect" }) =>
      `${key || "any key"}${operator === "Equal" ? `=${value}` : ` ${operator} ${value}`.trimEnd()}:${effect}`,
  );
  return {
    reason: `does not tolerate the taint ${text}`,
    key: "taint",
    found: own.length === 0 ? "no toleration" : `tolerations ${own.join(", ")}`,
    accepted: `a toleration of ${text}`,
  };
}

/** A label that the NodePool rules out, or that no node of it will have. */
export function labelRefusal(conflict: RequirementConflict, constraints: PodConstraints): RefusalDetail {
  const { key, found, wanted } = conflict;
  if (hasOnlyEmptyTerms(constraints)) return emptyTerms;
  if (isImpossible(wanted) && !wanted.mayBeAbsent) return contradiction(wanted);
  if (key === label.hostname) {
    return {
      reason: `asks for the node itself by ${describeRequirement(wanted)}, and the name of a new node is not known before it is there`,
      key,
      found: requirementText(wanted),
      accepted: "the name of a node that exists and has room",
    };
  }
  return {
    reason: describeConflict(conflict),
    key,
    found: requirementText(wanted),
    accepted: found === undefined ? undefinedLabel(conflict) : requirementText(found),
  };
}

function undefinedLabel(conflict: RequirementConflict): string {
  const { key } = conflict;
  const [, suggestion] = /did you mean (\S+)\?/.exec(describeConflict(conflict)) ?? [];
  const meant = suggestion === undefined ? "" : `, or ${suggestion}, if that is meant`;
  return `a template label or a requirement of the NodePool with the key ${key}${meant}`;
}

function contradiction(wanted: Requirement): RefusalDetail {
  return {
    reason: `its node selector and node affinity contradict each other: no value of ${wanted.key} meets them`,
    key: wanted.key,
    found: "requirements that no value meets",
    accepted: "requirements that agree",
  };
}

const emptyTerms: RefusalDetail = {
  reason: "its required node affinity has only empty nodeSelectorTerms, and an empty term matches no node",
  key: "nodeSelectorTerms",
  found: "a term without expressions",
  accepted: "a term with at least one expression, or no required node affinity at all",
};

function hasOnlyEmptyTerms({ spec }: PodConstraints): boolean {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const isBlank = (list: readonly unknown[] | undefined) => (list ?? []).length === 0;
  return (
    terms?.every(({ matchExpressions, matchFields }) => isBlank(matchExpressions) && isBlank(matchFields)) ?? false
  );
}

/** The port that DaemonSets take of every one of these options; undefined when some option has all ports free. */
export function hostPortRefusal(
  wanted: readonly HostPort[],
  options: readonly NodeOption[],
): RefusalDetail | undefined {
  const [first] = options;
  if (first === undefined || options.some((option) => takenPort(wanted, option) === undefined)) return undefined;
  const taken = takenPort(wanted, first);
  if (taken === undefined) return undefined;
  const text = `${isEveryAddress(taken.port) ? "" : `${taken.port.ip}:`}${taken.port.port}`;
  return {
    reason: `host port ${text} is always taken by DaemonSet ${taken.daemonSet}`,
    key: "hostPort",
    found: `${text}/${taken.port.protocol}`,
    accepted: `any ${taken.port.protocol} port but ${text}, or nodes that DaemonSet ${taken.daemonSet} does not run on`,
  };
}

/** The first wanted port that a DaemonSet of the option takes, and which one it is. */
export function takenPort(
  wanted: readonly HostPort[],
  { daemons }: NodeOption,
): { readonly port: HostPort; readonly daemonSet: string } | undefined {
  if (wanted.length === 0) return undefined;
  for (const { name, hostPorts } of daemons) {
    const port = hostPortConflict(hostPorts.map(parseHostPort), wanted);
    if (port !== undefined) return { port, daemonSet: name };
  }
  return undefined;
}

function isEveryAddress({ ip }: HostPort): boolean {
  return ip === "0.0.0.0" || ip === "::";
}
