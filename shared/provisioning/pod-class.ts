import { type PodConstraints, type PodRecord, podName } from "../state/pod-record.ts";
import type { Attachment, VolumeWorld } from "../state/volume-needs.ts";
import { withVolumes } from "./volume-constraints.ts";

/** Pods that planning cannot tell apart: matched once, however many there are (design §5). */
export interface PodClass {
  readonly key: string;
  /** Of the pods and their volumes. */
  readonly constraints: PodConstraints;
  readonly pods: readonly PodRecord[];
  /** Claims that other pods use too: a node attaches each of them once. */
  readonly sharedAttachments: readonly Attachment[];
}

/** Pods by class, and those whose volumes let them run nowhere. */
export interface ClassifiedPods {
  readonly classes: readonly PodClass[];
  readonly refused: readonly { readonly pod: PodRecord; readonly reason: string }[];
}

/**
 * Groups pods into classes: the highest priority first, because kube-scheduler gives it the room there is, then the largest requests of
 * CPU, then of memory, then by the key (karpenter-core §2.5, which leaves the priority out).
 */
export function classify(pods: readonly PodRecord[], volumes: VolumeWorld): ClassifiedPods {
  const refused: { pod: PodRecord; reason: string }[] = [];
  const ready = pods.flatMap((pod) => {
    const needs = volumes.volumeNeeds(pod);
    if (needs.kind === "ready") return [{ pod, needs, key: `${pod.schedulingKey} ${needs.key}` }];
    refused.push({ pod, reason: needs.reason });
    return [];
  });
  const classes = [...Map.groupBy(ready, ({ key }) => key)].map(([key, members]) => {
    const sorted = members.toSorted((a, b) => comparePods(a.pod, b.pod));
    const [first] = sorted;
    if (first === undefined) throw new RangeError(`pod class ${key} has no pods`);
    const { attachments, alternatives } = first.needs;
    const isShared = ({ claim }: Attachment) => volumes.isShared(claim);
    return {
      key,
      constraints: withVolumes(first.pod.constraints, {
        alternatives,
        own: attachments.filter((one) => !isShared(one)),
        unbound: attachments.filter((one) => isShared(one) && volumes.isUnbound(one.claim)),
      }),
      pods: sorted.map(({ pod }) => pod),
      sharedAttachments: attachments.filter(isShared),
    };
  });
  return { classes: classes.sort(compareClasses), refused: refused.sort((a, b) => comparePods(a.pod, b.pod)) };
}

function compareClasses(a: PodClass, b: PodClass): number {
  return (
    priorityOf(b) - priorityOf(a) ||
    requestOf(b, "cpu") - requestOf(a, "cpu") ||
    requestOf(b, "memory") - requestOf(a, "memory") ||
    compareText(a.key, b.key)
  );
}

function comparePods(a: PodRecord, b: PodRecord): number {
  return a.createdAt - b.createdAt || naturalOrder.compare(podName(a), podName(b)) || compareText(a.uid, b.uid);
}

/** `web-2` before `web-10`: what a person expects to read. */
const naturalOrder = new Intl.Collator("en", { numeric: true });

/** Equal for all pods of a class. */
export function priorityOf({ pods }: PodClass): number {
  return pods[0]?.priority ?? 0;
}

function requestOf(podClass: PodClass, resource: string): number {
  return podClass.constraints.requests[resource] ?? 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
