import { webhookProbe } from "../../shared/controllers/webhook-breaker.ts";
import { controllersGroup } from "../../shared/runtime/config.ts";
import type { AdmissionRequest, AdmittedObject } from "./admission-review.ts";

/** The ValidatingWebhookConfiguration that holds all of them. */
export const configurationName = webhookProbe.configuration;

/** A condition in both its forms: CEL for the API server, TypeScript for us, the simulator and the tests. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
  readonly holds: (request: AdmissionRequest) => boolean;
}

/** One entry of the ValidatingWebhookConfiguration: which requests the API server sends. */
export interface WebhookSelection {
  readonly name: string;
  readonly rules: readonly WebhookRule[];
  /** `ours`: in our own namespace alone. `theirs`: in every other. Absent for objects of no namespace. */
  readonly namespaces?: "ours" | "theirs";
  /** All must hold. */
  readonly matchConditions: readonly MatchCondition[];
}

export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly ("CREATE" | "UPDATE" | "DELETE")[];
  /** `pods/status` names a subresource. */
  readonly resources: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
}

/** Where EKS keeps the network's, DNS's and its own pods. */
const systemNamespace = "kube-system";

const notOurs: MatchCondition = {
  name: "not-ours",
  expression: `!has(request.userInfo.groups) || !request.userInfo.groups.exists(g, g == '${controllersGroup}')`,
  holds: ({ userInfo }) => !userInfo.groups.includes(controllersGroup),
};

const isUnschedulable =
  "c.type == 'PodScheduled' && c.status == 'False' && has(c.reason) && c.reason == 'Unschedulable'";

/**
 * Pods that the cluster cannot do without, ours among them, never wait for us, whatever becomes of the webhook; the sweep finds them.
 * (A webhook that holds up the network's or DNS's pods can keep itself from ever answering.)
 */
const notSystem: MatchCondition = {
  name: "not-system",
  expression: `request.namespace != '${systemNamespace}'`,
  holds: ({ namespace }) => namespace !== systemNamespace,
};

const podConditions: readonly MatchCondition[] = [
  notOurs,
  notSystem,
  {
    name: "not-bound",
    expression: "!has(object.spec.nodeName) || object.spec.nodeName == ''",
    holds: ({ object }) => (object?.spec?.nodeName ?? "") === "",
  },
  {
    name: "not-deleting",
    expression: "!has(object.metadata.deletionTimestamp)",
    holds: ({ object }) => object?.metadata.deletionTimestamp === undefined,
  },
  {
    name: "unschedulable",
    expression: `has(object.status) && has(object.status.conditions) && object.status.conditions.exists(c, ${isUnschedulable})`,
    holds: ({ object }) => unschedulableMessage(object) !== undefined,
  },
  {
    // Reads object.status.conditions unchecked: where they are absent the condition before this one is false already.
    name: "new-or-changed",
    expression:
      "!has(oldObject.status) || !has(oldObject.status.conditions) || " +
      `!oldObject.status.conditions.exists(c, ${isUnschedulable} && ` +
      "object.status.conditions.exists(n, n.type == 'PodScheduled' && " +
      "(has(n.message) ? n.message : '') == (has(c.message) ? c.message : '')))",
    holds: ({ object, oldObject }) => unschedulableMessage(oldObject) !== unschedulableMessage(object),
  },
];

const isReady = "c.type == 'Ready' && c.status == 'True'";

const becameReady: MatchCondition = {
  name: "became-ready",
  expression:
    `has(object.status) && has(object.status.conditions) && object.status.conditions.exists(c, ${isReady}) && ` +
    `!(has(oldObject.status) && has(oldObject.status.conditions) && oldObject.status.conditions.exists(c, ${isReady}))`,
  holds: ({ object, oldObject }) => readyNode(object) && !readyNode(oldObject),
};

const specChanged: MatchCondition = {
  name: "spec-changed",
  expression: "request.operation != 'UPDATE' || object.metadata.generation != oldObject.metadata.generation",
  holds: ({ operation, object, oldObject }) =>
    operation !== "UPDATE" || object?.metadata.generation !== oldObject?.metadata.generation,
};

/** Everything the webhook wants to see (design §4.7). Status updates of our own kinds never come. */
export const selections: readonly WebhookSelection[] = [
  {
    name: "pods.journeyman.sh",
    rules: [rule("", "v1", ["UPDATE"], ["pods/status"], "Namespaced")],
    namespaces: "theirs",
    matchConditions: podConditions,
  },
  {
    name: "nodes.journeyman.sh",
    rules: [rule("", "v1", ["CREATE"], ["nodes"], "Cluster")],
    matchConditions: [notOurs],
  },
  {
    name: "node-status.journeyman.sh",
    rules: [rule("", "v1", ["UPDATE"], ["nodes/status"], "Cluster")],
    matchConditions: [notOurs, becameReady],
  },
  {
    name: "node-pools.journeyman.sh",
    rules: [rule("karpenter.sh", "v1", ["CREATE", "UPDATE", "DELETE"], ["nodepools", "nodeclaims"], "Cluster")],
    matchConditions: [notOurs, specChanged],
  },
  {
    name: "node-classes.journeyman.sh",
    rules: [rule("karpenter.k8s.aws", "v1", ["CREATE", "UPDATE", "DELETE"], ["ec2nodeclasses"], "Cluster")],
    matchConditions: [notOurs, specChanged],
  },
];

/**
 * What the breaker asks with, and we refuse: a refusal is proof that the API server reaches us, trusts us and hears us in time, and a
 * failure lets the request pass like any other. It is a ConfigMap that is never stored.
 */
export const probeSelection: WebhookSelection = {
  name: webhookProbe.webhook,
  rules: [rule("", "v1", ["CREATE"], ["configmaps"], "Namespaced")],
  namespaces: "ours",
  matchConditions: [
    {
      name: "named",
      expression: `request.name == '${webhookProbe.name}'`,
      holds: ({ name }) => name === webhookProbe.name,
    },
    {
      name: "dry-run",
      expression: "has(request.dryRun) && request.dryRun",
      holds: ({ dryRun }) => dryRun === true,
    },
  ],
};

export function isProbe(request: AdmissionRequest): boolean {
  return matches(probeSelection, request);
}

/** Whether the API server would send this request to the webhook, as long as it is not about our own namespace. */
export function isSelected(request: AdmissionRequest): boolean {
  return selections.some((selection) => matches(selection, request));
}

function matches({ rules, matchConditions }: WebhookSelection, request: AdmissionRequest): boolean {
  return (
    rules.some((candidate) => ruleMatches(candidate, request)) &&
    matchConditions.every((condition) => condition.holds(request))
  );
}

function ruleMatches(
  { apiGroups, apiVersions, operations, resources }: WebhookRule,
  request: AdmissionRequest,
): boolean {
  const { group, version, resource } = request.resource;
  const path = request.subResource === "" ? resource : `${resource}/${request.subResource}`;
  return (
    apiGroups.includes(group) &&
    apiVersions.includes(version) &&
    operations.some((operation) => operation === request.operation) &&
    resources.includes(path)
  );
}

function rule(
  apiGroup: string,
  apiVersion: string,
  operations: WebhookRule["operations"],
  resources: readonly string[],
  scope: WebhookRule["scope"],
): WebhookRule {
  return { apiGroups: [apiGroup], apiVersions: [apiVersion], operations, resources, scope };
}

/** The scheduler's message where it found no node; undefined where it did not say so. */
function unschedulableMessage(object: AdmittedObject | null | undefined): string | undefined {
  const found = object?.status?.conditions?.find(
    ({ type, status, reason }) => type === "PodScheduled" && status === "False" && reason === "Unschedulable",
  );
  return found === undefined ? undefined : (found.message ?? "");
}

function readyNode(object: AdmittedObject | null | undefined): boolean {
  return object?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
