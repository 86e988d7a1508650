import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from "../../shared/api/core.ts";
import { label } from "../../shared/api/labels.ts";
import type { ObjectMeta } from "../../shared/api/schema.ts";
import { type PodInput, podNamed } from "./cluster-objects.ts";

/** What tests of planning say about a pod; its UID is its name. */
export interface PlanningPod extends PodInput {
  readonly app?: string;
  readonly namespace?: string;
  readonly owner?: { readonly kind: string; readonly uid: string };
  readonly metadata?: Partial<ObjectMeta>;
}

/** A pod that kube-scheduler has given up on. */
export function pendingPod(name: string, input: PlanningPod = {}): Pod {
  return {
    ...planningPod(name, input),
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
    },
  };
}

/** `name-0`, `name-1`, ..., all of the app `name`. */
export function pendingPods(count: number, name: string, input: PlanningPod = {}): Pod[] {
  return Array.from({ length: count }, (_, index) => pendingPod(`${name}-${index}`, { app: name, ...input }));
}

/** A pod that is bound and runs. */
export function runningPod(name: string, nodeName: string, input: PlanningPod = {}): Pod {
  const pod = planningPod(name, input);
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: "Running" } };
}

function planningPod(name: string, { app, namespace, owner, metadata, ...input }: PlanningPod): Pod {
  return podNamed(name, {
    cpu: "1",
    ...input,
    metadata: {
      uid: name,
      ...(namespace !== undefined && { namespace }),
      ...(owner !== undefined && {
        ownerReferences: [{ apiVersion: "apps/v1", name: owner.uid, controller: true, ...owner }],
      }),
      labels: { ...(app !== undefined && { app }), ...input.labels },
      ...metadata,
    },
  });
}

/** `maxSkew` 1 over zones for the pods of an app. */
export function zoneSpread(app: string, changes: Partial<TopologySpreadConstraint> = {}): Partial<PodSpec> {
  return spread(label.zone, app, changes);
}

export function hostnameSpread(app: string, changes: Partial<TopologySpreadConstraint> = {}): Partial<PodSpec> {
  return spread(label.hostname, app, changes);
}

export function spread(
  topologyKey: string,
  app: string,
  changes: Partial<TopologySpreadConstraint> = {},
): Partial<PodSpec> {
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app } },
        ...changes,
      },
    ],
  };
}

/** Required affinity to the pods of an app. */
export function near(app: string, topologyKey: string = label.hostname, changes: Partial<PodAffinityTerm> = {}) {
  return { affinity: { podAffinity: required(app, topologyKey, changes) } } satisfies Partial<PodSpec>;
}

/** Required anti-affinity to the pods of an app. */
export function awayFrom(app: string, topologyKey: string = label.hostname, changes: Partial<PodAffinityTerm> = {}) {
  return { affinity: { podAntiAffinity: required(app, topologyKey, changes) } } satisfies Partial<PodSpec>;
}

function required(app: string, topologyKey: string, changes: Partial<PodAffinityTerm>) {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey, labelSelector: { matchLabels: { app } }, ...changes },
    ],
  };
}

/** The same pod affinity and anti-affinity, preferred with weight 1 instead of required. */
export function preferring({ affinity }: Partial<PodSpec>): Partial<PodSpec> {
  const soft = (terms: readonly PodAffinityTerm[] = []) => ({
    preferredDuringSchedulingIgnoredDuringExecution: terms.map((podAffinityTerm) => ({ weight: 1, podAffinityTerm })),
  });
  return {
    affinity: {
      podAffinity: soft(affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
      podAntiAffinity: soft(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    },
  };
}

/** A node selector requirement. */
export type NodeExpression = readonly [
  key: string,
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt",
  ...values: string[],
];

/** Required node affinity: one list of expressions for each OR-term. */
export function nodeTerms(...terms: readonly NodeExpression[][]): Partial<PodSpec> {
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map((term) => ({
            matchExpressions: term.map(([key, operator, ...values]) => ({ key, operator, values })),
          })),
        },
      },
    },
  };
}
