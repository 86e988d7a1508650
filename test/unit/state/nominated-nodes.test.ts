import { describe, expect, it } from "vitest";
import type { Node, Pod } from "../../../shared/api/core.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { type NominationWorld, nominationChanges } from "../../../shared/state/nominated-nodes.ts";
import { formatNominations } from "../../../shared/state/nominations.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import { claimedNode } from "../../support/nodes.ts";
import { pendingPod, runningPod } from "../../support/pods.ts";
import { snapshotWith } from "../../support/snapshot.ts";

const owner = { kind: "ReplicaSet", uid: "rs" };
const deletionTimestamp = formatTime(0);

function nominatedTo(nodeName: string, pod: Pod): Pod {
  return { ...pod, status: { ...pod.status, nominatedNodeName: nodeName } };
}

/** What becomes of pods that node `n` (4 cpus, ready since `initializedAt`) was made for: `set web`. */
function changes(
  pods: readonly Pod[],
  world: Partial<NominationWorld> & {
    readonly planned?: readonly Pod[];
    readonly node?: (node: Node) => Node;
    readonly isClaimDeleted?: boolean;
  } = {},
): readonly string[] {
  const { planned = pods, node: changed = (node: Node) => node, isClaimDeleted = false, ...rest } = world;
  const nominations = formatNominations(recordsOf(planned).map(nominationOf));
  const { node, claim } = claimedNode("n", {
    cpu: "4",
    initializedAt: formatTime(0),
    claimAnnotations: { "journeyman.sh/nominated-pods": nominations },
  });
  const nodeClaim = isClaimDeleted ? { ...claim, metadata: { ...claim.metadata, deletionTimestamp } } : claim;
  const found = nominationChanges({
    now: 0,
    nodeClaims: [nodeClaim],
    nodes: [changed(ready(node))],
    pods: recordsOf(pods),
    nominatePods: true,
    ...rest,
  });
  return found.map(({ kind, pod, nodeName }) => `${kind} ${pod.name}${nodeName === "n" ? "" : ` ${nodeName}`}`);
}

function ready(node: Node): Node {
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, "karpenter.sh/initialized": "true" } },
    status: { ...node.status, conditions: [{ type: "Ready", status: "True" }] },
  };
}

function recordsOf(pods: readonly Pod[]): readonly PodRecord[] {
  return snapshotWith({ pods }).pods;
}

function nominationOf({ uid, owner: found, classKey }: PodRecord) {
  return { uid, owner: found?.uid ?? "", class: classKey };
}

const web = pendingPod("web", { cpu: "1", owner });
const onNode = nominatedTo("n", web);

describe("nominations", () => {
  it("are set for the pods that a ready node was made for, and for no others", () => {
    expect(changes([web, pendingPod("stranger", { cpu: "1" })], { planned: [web] })).toEqual(["set web"]);
  });

  it("are set for a displaced pod's successor of the same owner and class", () => {
    const successor = pendingPod("web-2", { cpu: "1", owner });
    expect(changes([successor], { planned: [web] })).toEqual(["set web-2"]);
    expect(changes([pendingPod("web-2", { cpu: "2", owner })], { planned: [web] })).toEqual([]);
  });

  it("leave a pod alone that has changed, is bound, is being deleted, or that somebody else has nominated", () => {
    const selective = pendingPod("web", { cpu: "1", owner, spec: { nodeSelector: { disk: "ssd" } } });
    for (const pod of [
      selective,
      runningPod("web", "other", { cpu: "1", owner }),
      pendingPod("web", { cpu: "1", owner, metadata: { deletionTimestamp } }),
      nominatedTo("elsewhere", web),
    ]) {
      expect(changes([pod], { planned: [web] })).toEqual([]);
    }
  });

  it("leave a nomination to the node alone that the node's claim has not made", () => {
    const preemptor = nominatedTo("n", pendingPod("urgent", { cpu: "1" }));
    expect(changes([preemptor], { planned: [], isClaimDeleted: true })).toEqual([]);
  });

  it("are set as far as the node has room, for the highest priority first, then for the oldest", () => {
    const created = (second: number) => ({ metadata: { creationTimestamp: formatTime(second * 1_000) } });
    const pods = [
      pendingPod("young", { cpu: "1500m", ...created(9) }),
      pendingPod("old", { cpu: "1500m", ...created(1) }),
      pendingPod("urgent", { cpu: "1500m", spec: { priority: 7 }, ...created(9) }),
    ];
    expect(changes(pods)).toEqual(["set urgent", "set old"]);
    const stranger = runningPod("stranger", "n", { cpu: "2" });
    expect(changes([...pods, stranger], { planned: pods })).toEqual(["set urgent"]);
  });

  it("are not set on a node that is not ready or not initialized, but on one that is about to take pods", () => {
    const closed = (node: Node): Node => ({ ...node, metadata: { ...node.metadata, labels: {} } });
    const notReady = (node: Node): Node => ({ ...node, status: { ...node.status, conditions: [] } });
    expect(changes([web], { node: closed })).toEqual([]);
    expect(changes([web], { node: notReady })).toEqual([]);
    expect(changes([web], { node: closed, opening: "n" })).toEqual(["set web"]);
  });

  it("are taken back when the node is gone, leaves, is cordoned, or its claim is being deleted", () => {
    const tainted = [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" as const }];
    expect(changes([onNode])).toEqual([]);
    expect(changes([onNode], { nodes: [] })).toEqual(["clear web"]);
    expect(changes([onNode], { isClaimDeleted: true })).toEqual(["clear web"]);
    expect(changes([onNode], { node: (node) => ({ ...node, spec: { ...node.spec, taints: tainted } }) })).toEqual([
      "clear web",
    ]);
    expect(changes([onNode], { node: (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }) })).toEqual([
      "clear web",
    ]);
  });

  it("are taken back when the node is full, but not while pods that terminate there make room", () => {
    const taken = runningPod("stranger", "n", { cpu: "3500m" });
    expect(changes([onNode, taken], { planned: [web] })).toEqual(["clear web"]);
    const going = runningPod("stranger", "n", { cpu: "3500m", metadata: { deletionTimestamp } });
    expect(changes([onNode, going], { planned: [web] })).toEqual([]);
  });

  it("are taken back a minute after the node is ready, unless pods that terminate there make room", () => {
    expect(changes([onNode], { now: 60_000 })).toEqual([]);
    expect(changes([onNode], { now: 61_000 })).toEqual(["clear web"]);
    const going = runningPod("stranger", "n", { cpu: "100m", metadata: { deletionTimestamp } });
    expect(changes([onNode, going], { planned: [web], now: 61_000 })).toEqual([]);
  });

  it("are taken back, and none is set, when they are switched off", () => {
    expect(changes([web, nominatedTo("n", pendingPod("two", { cpu: "1" }))], { nominatePods: false })).toEqual([
      "clear two",
    ]);
  });
});

describe("nominations of pods that must spread", () => {
  const spread = (name: string, topologyKey: string, maxSkew = 1) =>
    pendingPod(name, {
      cpu: "100m",
      app: "web",
      spec: {
        topologySpreadConstraints: [
          { topologyKey, maxSkew, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app: "web" } } },
        ],
      },
    });

  it("are not set for more of them than may go ahead of the other zones: they would keep their equals out", () => {
    const zone = "topology.kubernetes.io/zone";
    expect(changes([spread("a", zone)])).toEqual(["set a"]);
    expect(changes([spread("a", zone), spread("b", zone)])).toEqual([]);
    expect(changes([spread("a", zone, 2), spread("b", zone, 2)])).toEqual(["set a", "set b"]);
  });

  it("are set for so many on one node as may be there before all others have one", () => {
    const names = ["a", "b", "c"];
    expect(changes(names.map((name) => spread(name, "kubernetes.io/hostname")))).toEqual(["set a"]);
    expect(changes(names.map((name) => spread(name, "kubernetes.io/hostname", 2)))).toEqual(["set a", "set b"]);
  });
});
