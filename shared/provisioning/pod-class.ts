import { type PodConstraints, type PodRecord, podName } from "../state/pod-record.ts";

/** Pods that planning cannot tell apart: matched once, however many there are (design §5). */
export interface PodClass {
  readonly key: string;
  readonly constraints: PodConstraints;
  readonly pods: readonly PodRecord[];
}

/** Groups pods into classes, the largest requests first: CPU, then memory, then the key (karpenter-core §2.5). */
export function podClasses(pods: readonly PodRecord[]): readonly PodClass[] {
  return [...Map.groupBy(pods, (pod) => pod.classKey).entries()]
    .map(([key, members]) => toClass(key, members))
    .sort(
      (a, b) =>
        requestOf(b, "cpu") - requestOf(a, "cpu") ||
        requestOf(b, "memory") - requestOf(a, "memory") ||
        compareText(a.key, b.key),
    );
}

function toClass(key: string, members: readonly PodRecord[]): PodClass {
  const pods = [...members].sort(
    (a, b) => a.createdAt - b.createdAt || naturalOrder.compare(podName(a), podName(b)) || compareText(a.uid, b.uid),
  );
  const first = pods[0];
  if (first === undefined) throw new RangeError(`pod class ${key} has no pods`);
  return { key, constraints: first.constraints, pods };
}

/** `web-2` before `web-10`: what a person expects to read. */
const naturalOrder = new Intl.Collator("en", { numeric: true });

function requestOf(podClass: PodClass, resource: string): number {
  return podClass.constraints.requests[resource] ?? 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
