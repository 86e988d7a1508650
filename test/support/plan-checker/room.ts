import type { PodRecord } from "../../../shared/state/pod-record.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { sumOf } from "./amounts.ts";
import type { CheckedNode } from "./checked-node.ts";
import { daemonsToCome } from "./daemons.ts";
import { needsOf, portClash } from "./pod-needs.ts";

/**
 * kube-scheduler's NodeResourcesFit and NodePorts for one node once everything planned for it is there, DaemonSets included. Only what
 * the new pods ask for can refuse them. `residents` are bound, or have their place kept.
 */
export function roomProblems(
  node: CheckedNode,
  placed: readonly PodRecord[],
  residents: readonly PodRecord[],
  world: Pick<Snapshot, "daemonSets" | "pods">,
): readonly string[] {
  const daemons = daemonsToCome(world, node, residents).map(needsOf);
  const own = placed.map(({ constraints }) => needsOf(constraints.spec));
  const others = [...residents.map(({ constraints }) => needsOf(constraints.spec)), ...daemons];
  const asked = sumOf(own.map(({ requests }) => requests));
  const total = sumOf([...own, ...others].map(({ requests }) => requests));
  const short = Object.keys(asked).filter(
    (resource) => (asked[resource] ?? 0) > 0 && (total[resource] ?? 0) > (node.allocatable[resource] ?? 0),
  );
  const clash = portClash(own, others);
  const names = placed.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
  return [
    ...short.map(
      (resource) =>
        `${node.name}: ${resource} of all pods is ${total[resource]}, allocatable ${node.allocatable[resource] ?? 0} (new: ${names})`,
    ),
    ...(clash === undefined ? [] : [`${node.name}: two pods want the host port ${clash} (new: ${names})`]),
  ];
}
