import { describe, expect } from "vitest";
import { pod as podSchema } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, type Solved, solve } from "../../support/karpenter-fixture.ts";
import { nodePool } from "../../support/node-pools.ts";
import { expectAllPlaced } from "../../support/plans.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";
import { classWithReservations, oneType, reservation, reservedOrOnDemand } from "../../support/reservations.ts";

/** Each node's NodePool and the reservation it is planned on, or its capacity type; sorted. */
function placesOf({ plan }: Solved): readonly string[] {
  expectAllPlaced(plan);
  return plan.nodeClaims
    .map(
      ({ nodePool: pool, offerings: [{ reservationId, capacityType }] }) => `${pool}: ${reservationId ?? capacityType}`,
    )
    .sort();
}

const inPool = (pool: string) => ({ cpu: "2", spec: { nodeSelector: { [label.nodePool]: pool } } });

describe("reserved capacity", () => {
  conforms(
    "res | one reservation shared by pools, one pod per pool | one node reserved in first pass; next pass non-reserved",
    () => {
      const solved = solve({
        catalog: oneType,
        nodeClasses: [classWithReservations(reservation("cr-1"))],
        pools: ["a", "b"].map((name) => nodePool(name, { requirements: reservedOrOnDemand })),
        pods: ["a", "b"].map((pool) => pendingPod(pool, inPool(pool))),
      });
      // Karpenter takes a pass for each of them; here one pass ends where its second does.
      const places = placesOf(solved);
      expect(places.filter((place) => place.endsWith("cr-1"))).toHaveLength(1);
      expect(places.filter((place) => place.endsWith("on-demand"))).toHaveLength(1);
      const [reserved] = solved.nodes.filter(({ capacityType }) => capacityType === "reserved");
      expect(reserved?.object.spec.requirements).toContainEqual({
        key: label.reservationId,
        operator: "In",
        values: ["cr-1"],
      });
      expect(reserved?.object.spec.requirements).toContainEqual({
        key: label.capacityType,
        operator: "In",
        values: ["reserved"],
      });
      // The next pass, with the claims written but nothing launched: the place is taken.
      const later = solve(carriedOut(solved, "written", { pods: [pendingPod("c", inPool("a"))] }));
      expect(placesOf(later)).toEqual(["a: on-demand"]);
    },
  );

  conforms("res | several reservations same type | up to capacity reserved over passes, then fallback", () => {
    const world = {
      catalog: oneType,
      nodeClasses: [classWithReservations(reservation("cr-1"), reservation("cr-2", { availableInstanceCount: 2 }))],
      pools: [nodePool("default", { requirements: reservedOrOnDemand })],
    };
    const first = solve({ ...world, pods: pendingPods(2, "first", { cpu: "2" }) });
    expect(placesOf(first).every((place) => /: cr-[12]$/.test(place))).toBe(true);
    const second = solve(carriedOut(first, "written", { pods: pendingPods(2, "second", { cpu: "2" }) }));
    expect([...placesOf(first), ...placesOf(second)].sort()).toEqual([
      "default: cr-1",
      "default: cr-2",
      "default: cr-2",
      "default: on-demand",
    ]);
    const atOnce = solve({ ...world, pods: pendingPods(5, "all", { cpu: "2" }) });
    expect(placesOf(atOnce)).toEqual([
      "default: cr-1",
      "default: cr-2",
      "default: cr-2",
      "default: on-demand",
      "default: on-demand",
    ]);
  });

  conforms(
    "res | two pools, heavier has reservation, two pods | second pod deferred (not sent to lighter pool), then falls back inside heavy pool",
    () => {
      // Deferring is how Karpenter comes to fall back inside the heavy pool a pass later; that end is reached at once.
      const solved = solve({
        catalog: oneType,
        nodeClasses: [classWithReservations(reservation("cr-1"))],
        pools: [
          nodePool("heavy", { weight: 50, requirements: reservedOrOnDemand }),
          nodePool("light", { weight: 10, requirements: reservedOrOnDemand }),
        ],
        pods: pendingPods(2, "p", { cpu: "2" }),
      });
      expect(placesOf(solved)).toEqual(["heavy: cr-1", "heavy: on-demand"]);
    },
  );

  conforms("res | two pods on one reserved type | same node, one reservation", () => {
    const solved = solve({
      catalog: oneType,
      nodeClasses: [classWithReservations(reservation("cr-1", { availableInstanceCount: 5 }))],
      pools: [nodePool("default", { requirements: reservedOrOnDemand })],
      pods: pendingPods(2, "p", { cpu: "1" }),
    });
    expect(placesOf(solved)).toEqual(["default: cr-1"]);
    expect(solved.nodes[0]?.pods).toEqual(["p-0", "p-1"]);
  });
});

conforms(
  "dra.gate | ignore=true: claims on container, init container, both (x3) | pod gets DRA error, not scheduled",
  () => {
    const container = { name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } };
    const plain = { name: "c", image: "i" };
    const holders = [
      { containers: [container] },
      { containers: [plain], initContainers: [{ ...container, name: "init" }] },
      { containers: [container], initContainers: [{ ...container, name: "init" }] },
    ];
    for (const [index, holder] of holders.entries()) {
      const name = `p-${index}`;
      const { spec, ...rest } = pendingPod(name);
      const pod = podSchema.parse({ ...rest, spec: { ...spec, ...holder, resourceClaims: [{ name: "gpu" }] } });
      const { plan } = solve({ pods: [pod, pendingPod("other")] });
      expect(plan.unschedulable.map((entry) => entry.pod.name)).toEqual([name]);
      expect(plan.unschedulable[0]?.reasons).toMatchObject([
        { reason: expect.stringMatching(/resource claims \(DRA\)/) },
      ]);
      expect(plan.nodeClaims.flatMap(({ pods }) => pods.map((one) => one.name))).toEqual(["other"]);
    }
  },
);
