import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { nominationHolds } from "../../../shared/state/nomination-holds.ts";
import { formatNominations } from "../../../shared/state/nominations.ts";
import type { PodRecord } from "../../../shared/state/pod-record.ts";
import { claimedNode, inFlightClaim } from "../../support/nodes.ts";
import { pendingPod, runningPod } from "../../support/pods.ts";
import { snapshotWith } from "../../support/snapshot.ts";

const owner = { kind: "ReplicaSet", uid: "rs" };
const recordsOf = (...pods: readonly Pod[]) => snapshotWith({ pods }).pods;
const nominating = (...pods: readonly PodRecord[]) => ({
  "journeyman.sh/nominated-pods": formatNominations(
    pods.map((pod) => ({ uid: pod.uid, owner: pod.owner?.uid ?? "", class: pod.classKey })),
  ),
});

function holdsOf(
  claim: ReturnType<typeof inFlightClaim>,
  pods: readonly PodRecord[],
  { now = 0, leavingNodes = [] as readonly string[] } = {},
) {
  const holds = nominationHolds({ now, nodeClaims: [claim], pods, leavingNodes: new Set(leavingNodes) });
  return (holds.podsByClaim.get(claim.metadata.name) ?? []).map(({ uid }) => uid);
}

describe("a nomination", () => {
  const pending = recordsOf(pendingPod("web", { owner }));
  const launching = inFlightClaim("c", { claimAnnotations: nominating(...pending) });

  it("keeps a pending pod's place until the pod is bound or gone", () => {
    expect(holdsOf(launching, pending)).toEqual(["web"]);
    expect(holdsOf(launching, recordsOf(runningPod("web", "n", { owner })))).toEqual([]);
    expect(holdsOf(launching, [])).toEqual([]);
  });

  it("keeps it for a minute after the node is ready", () => {
    const { claim } = claimedNode("n", { initializedAt: formatTime(1_000), claimAnnotations: nominating(...pending) });
    expect(holdsOf(claim, pending, { now: 61_000 })).toEqual(["web"]);
    expect(holdsOf(claim, pending, { now: 62_000 })).toEqual([]);
  });

  it("ends with the claim, and with a node that is leaving itself", () => {
    const deleted = { ...launching, metadata: { ...launching.metadata, deletionTimestamp: formatTime(0) } };
    expect(holdsOf(deleted, pending)).toEqual([]);
    expect(holdsOf(launching, pending, { leavingNodes: ["c"] })).toEqual([]);
  });

  it("keeps a displaced pod's place while it runs on, then for its successor, until that has come", () => {
    const displaced = recordsOf(runningPod("web-1", "old", { owner }));
    const claim = claimedNode("new", { claimAnnotations: nominating(...displaced) }).claim;
    const world = { leavingNodes: ["old"] };
    expect(holdsOf(claim, displaced, world)).toEqual(["web-1"]);
    expect(holdsOf(claim, recordsOf(pendingPod("web-2", { owner })), world)).toEqual(["web-2"]);
    expect(holdsOf(claim, recordsOf(runningPod("web-2", "new", { owner })), world)).toEqual([]);
  });

  it("is for successors of the same owner and class only", () => {
    const displaced = recordsOf(runningPod("web-1", "old", { owner }));
    const claim = claimedNode("new", { claimAnnotations: nominating(...displaced) }).claim;
    const others = recordsOf(
      pendingPod("other-owner", { owner: { kind: "ReplicaSet", uid: "other" } }),
      pendingPod("other-class", { owner, cpu: "3" }),
    );
    expect(holdsOf(claim, others, { leavingNodes: ["old"] })).toEqual([]);
  });

  it("keeps the room for a StatefulSet's pod while the old one is gone and the new one not yet made", () => {
    const claim = (at: number) =>
      claimedNode("new", {
        initializedAt: formatTime(at),
        claimAnnotations: {
          "journeyman.sh/nominated-pods": formatNominations([
            { uid: "db-0", owner: "db", class: "c", requests: { cpu: "3", pods: "1" } },
          ]),
        },
      }).claim;
    const world = { now: 0, nodeClaims: [claim(0)], pods: [], leavingNodes: new Set<string>() };
    const [place] = nominationHolds(world).podsByClaim.get("new-claim") ?? [];
    expect(place?.constraints).toMatchObject({ requests: { cpu: 3_000, pods: 1 }, labels: {} });
    expect(nominationHolds({ ...world, now: 61_000 }).podsByClaim.get("new-claim")).toEqual([]);
  });
});
