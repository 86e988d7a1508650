import type { Container, Pod, PodSpec, Toleration } from "../api/core.ts";
import { limitRangesOf, withLimitRanges } from "../api/limit-range.ts";
import type { PriorityClass } from "../api/policy.ts";
import type { ObjectStore } from "./object-store.ts";
import { timestamp } from "./time.ts";

/**
 * A new pod as the API server stores it: defaults, the built-in admission plugins LimitRanger, Priority and DefaultTolerationSeconds,
 * a fresh status, and the condition of a gated pod.
 */
export function admitPod(created: Pod, store: ObjectStore, now: number): Pod {
  const { namespace = "default" } = created.metadata;
  const pod = { ...created, spec: withLimitRanges(created.spec, limitRangesOf(namespace, store.list("LimitRange"))) };
  const gated = (pod.spec.schedulingGates ?? []).length > 0;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: pod.spec.containers.map(defaultContainer),
      ...(pod.spec.initContainers === undefined
        ? {}
        : { initContainers: pod.spec.initContainers.map(defaultContainer) }),
      schedulerName: pod.spec.schedulerName ?? "default-scheduler",
      terminationGracePeriodSeconds: pod.spec.terminationGracePeriodSeconds ?? 30,
      priority: podPriority(pod.spec, store.list("PriorityClass")),
      tolerations: withDefaultTolerations(pod.spec.tolerations ?? []),
    },
    status: {
      phase: "Pending",
      ...(gated
        ? {
            conditions: [
              {
                type: "PodScheduled",
                status: "False",
                reason: "SchedulingGated",
                message: "Scheduling is blocked due to non-empty scheduling gates",
                lastTransitionTime: timestamp(now),
              },
            ],
          }
        : {}),
    },
  };
}

function defaultContainer(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  return {
    ...container,
    ...(limits === undefined ? {} : { resources: { limits, requests: { ...limits, ...requests } } }),
    ...(container.ports === undefined
      ? {}
      : { ports: container.ports.map((port) => ({ ...port, protocol: port.protocol ?? "TCP" })) }),
  };
}

const systemPriorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

function podPriority(spec: PodSpec, classes: readonly PriorityClass[]): number {
  const name = spec.priorityClassName;
  if (name === undefined) return spec.priority ?? classes.find((each) => each.globalDefault)?.value ?? 0;
  return systemPriorities[name] ?? classes.find((each) => each.metadata.name === name)?.value ?? spec.priority ?? 0;
}

/** Plugin DefaultTolerationSeconds: five minutes on a node that is not ready or not reachable. */
function withDefaultTolerations(tolerations: readonly Toleration[]): Toleration[] {
  const missing = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].filter(
    (key) =>
      !tolerations.some(
        (each) =>
          (each.key === key || each.key === undefined) && (each.effect === "NoExecute" || each.effect === undefined),
      ),
  );
  return [
    ...tolerations,
    ...missing.map((key): Toleration => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 })),
  ];
}
