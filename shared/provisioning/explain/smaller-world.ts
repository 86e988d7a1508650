import type { PodConstraints, PodRecord } from "../../state/pod-record.ts";
import type { Snapshot } from "../../state/snapshot.ts";
import { planProvisioning } from "../scheduler.ts";
import { TopologyRules } from "../topology-group.ts";
import { placementOf } from "./fixes.ts";

/** With more pending pods than this, planning again and again takes minutes. */
const mostPendingPods = 300;

/**
 * The snapshot without the pending pods that have nothing to do with a pod: those that its topology rules count, and whose own rules
 * count it, stay. Where the pod would have a place in that world, it is the others that keep it out, and the world stays whole.
 */
export function smallerWorld(snapshot: Snapshot, pod: PodRecord): Snapshot {
  const pending = snapshot.pods.filter(({ nodeName }) => nodeName === undefined);
  if (pending.length <= mostPendingPods) return snapshot;
  const isRelated = relatedTo(pod, snapshot);
  const stays = (other: PodRecord) => other.nodeName !== undefined || other === pod || isRelated(other.constraints);
  const small = { ...snapshot, pods: snapshot.pods.filter(stays) };
  return placementOf(planProvisioning(small), pod) === undefined ? small : snapshot;
}

function relatedTo({ constraints }: PodRecord, { namespaces }: Snapshot): (other: PodConstraints) => boolean {
  const own = new TopologyRules(namespaces).ownedBy(constraints);
  const known = new Map<PodConstraints, boolean>();
  return (other) => {
    let answer = known.get(other);
    if (answer === undefined) {
      const theirs = new TopologyRules(namespaces).ownedBy(other);
      answer = own.some((group) => group.matches(other)) || theirs.some((group) => group.matches(constraints));
      known.set(other, answer);
    }
    return answer;
  };
}
