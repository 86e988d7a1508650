import type { Action } from "../actions.ts";
import type { Node } from "../api/core.ts";
import { label, terminationFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { ObjectMeta, Taint } from "../api/schema.ts";
import type { VolumeAttachment } from "../api/storage.ts";
import { formatTime, parseTime } from "../api/time.ts";
import { metric } from "../metrics.ts";
import type { MergePatch, Ports } from "../ports.ts";
import { mergeTaints } from "../scheduling/taints.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { execute, requireDone } from "./execute.ts";
import { update } from "./optimistic-update.ts";
import { attachedVolumes } from "./volume-detachment.ts";

/** How long a dead node is kept so that its volumes can be taken from it. */
const detachMilliseconds = 60_000;

/**
 * Removes the Node of a machine that has ended. Its pods are deleted without grace, since nothing can run there; if volumes are still
 * attached, the out-of-service taint makes Kubernetes detach them now and not after six minutes (KEP-2268). Returns what is waited
 * for, or undefined when the Node is gone.
 */
export async function removeNode(
  ports: Ports,
  node: Node,
  pods: readonly PodRecord[],
  attachments: readonly VolumeAttachment[],
): Promise<string | undefined> {
  const { name, uid } = node.metadata;
  const why = `the instance of Node ${name} has ended`;
  const deletions = pods.map((pod): Action => {
    const reference = { name: pod.name, namespace: pod.namespace };
    return { kind: "delete", objectKind: "Pod", reference, uid: pod.uid, gracePeriodSeconds: 0, why };
  });
  await execute(ports, deletions, { continueOnError: true });
  const volumes = attachedVolumes(name, attachments);
  if (volumes.length > 0 && (await isDetaching(ports, node))) return `detaching volumes ${volumes.join(", ")}`;
  const identity = uid === undefined ? {} : { uid };
  requireDone(await execute(ports, [{ kind: "delete", objectKind: "Node", reference: { name }, why, ...identity }]));
  await update(ports, "Node", { name }, (current) =>
    current.metadata.uid === uid ? withoutFinalizer(current) : undefined,
  );
  ports.telemetry.count(metric.nodesTerminated, 1, { nodepool: node.metadata.labels?.[label.nodePool] ?? "" });
  return undefined;
}

/** The last step of a NodeClaim: with its finalizer it goes. */
export async function removeClaim(ports: Ports, claim: NodeClaim): Promise<void> {
  const { name, uid, labels } = claim.metadata;
  await update(ports, "NodeClaim", { name }, (current) =>
    current.metadata.uid === uid ? withoutFinalizer(current) : undefined,
  );
  ports.telemetry.count(metric.nodeClaimsTerminated, 1, { nodepool: labels?.[label.nodePool] ?? "" });
  ports.telemetry.log("info", "NodeClaim terminated", { nodeClaim: name });
}

async function isDetaching(ports: Ports, node: Node): Promise<boolean> {
  const now = ports.clock.now();
  const added = node.spec?.taints?.find((taint) => taint.key === outOfServiceKey)?.timeAdded;
  if (added !== undefined) return now - parseTime(added) < detachMilliseconds;
  const taint: Taint = { key: outOfServiceKey, value: "nodeshutdown", effect: "NoExecute", timeAdded: formatTime(now) };
  await update(ports, "Node", { name: node.metadata.name }, (current) => {
    return { spec: { taints: mergeTaints(current.spec?.taints ?? [], [taint]) } };
  });
  return true;
}

const outOfServiceKey = "node.kubernetes.io/out-of-service";

function withoutFinalizer(object: { readonly metadata: ObjectMeta }): MergePatch | undefined {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(terminationFinalizer)) return undefined;
  return { metadata: { finalizers: finalizers.filter((finalizer) => finalizer !== terminationFinalizer) } };
}
