import fc from "fast-check";
import type { Pod, PodSpec } from "../../../shared/api/core.ts";
import { pendingPods, runningPod } from "../pods.ts";
import { app, mergedSpecs, type PodRule } from "./pod-rules.ts";

export interface RandomWorkload {
  readonly app: string;
  readonly namespace: string;
  readonly count: number;
  readonly cpu: string;
  readonly memory: string;
  readonly tolerates: boolean;
  readonly revision: string;
  readonly rules: readonly [(own: string) => Partial<PodSpec>, (own: string) => Partial<PodSpec>];
}

export const taint = { key: "dedicated", value: "batch", effect: "NoSchedule" } as const;

const none = fc.constant(() => ({}));

/** Pods of one shape, with at most two of these rules. */
export function workloads(...rules: readonly PodRule[]): fc.Arbitrary<RandomWorkload> {
  const rule = fc.oneof({ weight: 2, arbitrary: none }, ...rules.map((arbitrary) => ({ weight: 3, arbitrary })));
  return fc.record({
    app,
    namespace: fc.constantFrom("default", "default", "other"),
    count: fc.integer({ min: 1, max: 6 }),
    cpu: fc.constantFrom("250m", "1", "1500m", "3", "20"),
    memory: fc.constantFrom("512Mi", "4Gi", "10Gi"),
    tolerates: fc.boolean(),
    revision: fc.constantFrom("1", "2"),
    rules: fc.tuple(rule, rule),
  });
}

/** The pending pods `w<index>-0`, `w<index>-1`, ... */
export function podsOf(workload: RandomWorkload, index: number): Pod[] {
  const { app: own, namespace, cpu, memory, revision } = workload;
  const input = { app: own, namespace, cpu, memory, labels: { revision }, spec: specOf(workload) };
  return pendingPods(workload.count, `w${index}`, input);
}

/** Pods of a workload that run on a node; small, so that there is room for others. */
export function residentsOf(workload: RandomWorkload, node: string): Pod[] {
  const { app: own, namespace, revision } = workload;
  const { containers: _, ...spec } = specOf(workload);
  return Array.from({ length: Math.min(2, workload.count) }, (_, index) =>
    runningPod(`${node}-resident-${index}`, node, {
      app: own,
      namespace,
      cpu: "500m",
      memory: "256Mi",
      labels: { revision },
      owner: { kind: "ReplicaSet", uid: `rs-${node}` },
      spec,
    }),
  );
}

function specOf({ app: own, rules: [first, second], tolerates }: RandomWorkload): Partial<PodSpec> {
  const spec = mergedSpecs(first(own), second(own));
  if (!tolerates) return spec;
  return { ...spec, tolerations: [...(spec.tolerations ?? []), { key: taint.key, operator: "Exists" }] };
}
