import type { Pod } from "../../api/core.ts";
import type { KubernetesObject } from "../../api/kinds.ts";
import { annotation } from "../../api/labels.ts";
import { parseDuration, parseTime } from "../../api/time.ts";
import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";
import { isProtected, isSurplus, pathOf } from "./machines.ts";
import { onOwnDeletion } from "./own-deletions.ts";

/**
 * Our functions never take away a running pod that asks not to be disrupted, and voluntary disruption takes no node that has one, or
 * that asks for itself (karpenter-core §2.3). What EC2 takes back, and what has passed its termination timestamp, is no choice of ours.
 */
export function doNotDisrupt(world: ObservedWorld): Invariant {
  return invariant("do-not-disrupt is kept", world, (report) => {
    const { server } = world.cluster;
    const allowed = "none that carries do-not-disrupt";
    onOwnDeletion(world, "Pod", (pod, by) => {
      if (!isActive(pod, world.loop.now()) || !isProtected(world, pod)) return;
      report({ objects: `Pod ${pathOf(pod)}`, seen: `taken away by ${by}: ${wish(pod)}`, allowed });
    });
    onOwnDeletion(world, "NodeClaim", (claim, by) => {
      if (by !== "disruption" || isSurplus(world, claim)) return;
      const nodeName = claim.status?.nodeName;
      const node = nodeName === undefined ? undefined : server.get("Node", { name: nodeName });
      const unwilling = [claim, node].find((one) => one !== undefined && wish(one) === "true");
      const pods = nodeName === undefined ? [] : server.list("Pod", { fieldSelector: `spec.nodeName=${nodeName}` });
      const pod = pods.find((one) => isActive(one, world.loop.now()));
      const found = unwilling ?? pod;
      if (found === undefined) return;
      const seen = `disrupted in spite of ${found.kind} ${found.metadata.name}: ${wish(found)}`;
      report({ objects: `NodeClaim ${claim.metadata.name}`, seen, allowed });
    });
    return {};
  });
}

function wish({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[annotation.doNotDisrupt];
}

/** `true`, or a duration since the pod's start that is not over; neither for a pod that has ended or is ending. */
function isActive(pod: Pod, now: number): boolean {
  const text = wish(pod);
  const { phase, startTime } = pod.status ?? {};
  if (text === undefined || phase === "Succeeded" || phase === "Failed") return false;
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (text === "true") return true;
  const seconds = parseDuration(text) ?? 0;
  return seconds > 0 && (startTime === undefined || now < parseTime(startTime) + seconds * 1_000);
}
