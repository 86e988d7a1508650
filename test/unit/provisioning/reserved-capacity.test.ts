import { describe, expect, it } from "vitest";
import type { CapacityReservation } from "../../../shared/api/ec2-node-class.ts";
import { label } from "../../../shared/api/labels.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { claimOfferings } from "../../../shared/provisioning/claim-offerings.ts";
import type { ProvisioningPlan } from "../../../shared/provisioning/plan.ts";
import { planStaticCapacity } from "../../../shared/provisioning/static-capacity.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { type NodeExpression, nodeTerms, pendingPod, pendingPods } from "../../support/pods.ts";
import { classWithReservations, oneType, reservation, reservedOrOnDemand } from "../../support/reservations.ts";
import { planFor, snapshotWith, type World } from "../../support/snapshot.ts";

/** Pods that fill an m5.large each, in a NodePool of reserved and on-demand capacity. */
function plan(pods: number, reservations: readonly CapacityReservation[], world: World = {}) {
  return planFor({
    catalog: oneType,
    nodeClasses: [classWithReservations(...reservations)],
    pools: [nodePool("default", { requirements: reservedOrOnDemand })],
    pods: pendingPods(pods, "p", { cpu: "2" }),
    ...world,
  });
}

/** Reservation or capacity type of each new node, sorted. */
function markets({ nodeClaims }: ProvisioningPlan): readonly string[] {
  return nodeClaims.map(({ offerings: [{ reservationId, capacityType }] }) => reservationId ?? capacityType).sort();
}

describe("nodes on capacity reservations", () => {
  it("keep the other capacity types for when EC2 has no place after all, and no other reservation", () => {
    const requirements = [oneOf(label.capacityType, "reserved", "spot", "on-demand")];
    const pools = [nodePool("default", { requirements })];
    const { nodeClaims } = plan(1, [reservation("cr-1"), reservation("cr-2")], { pools });
    const offerings = nodeClaims[0]?.offerings.map(({ capacityType, zone }) => `${capacityType} ${zone}`);
    expect(offerings).toEqual(["reserved a", "spot b", "on-demand a", "on-demand b", "on-demand c"]);
  });

  it("say in their reason that they are paid already", () => {
    expect(plan(1, [reservation("cr-1")]).nodeClaims[0]?.reason).toContain(
      "m5.large in a from reservation cr-1, paid already; next best: m5.large on-demand in a",
    );
  });

  it("cost the plan next to nothing, and its bound knows how few places there are", () => {
    const planned = plan(5, [reservation("cr-1", { availableInstanceCount: 2 })]);
    expect(planned.priceUsdPerHour).toBeCloseTo(0.3, 6);
    expect(planned.instancesLowerBound.value).toBeCloseTo(0.3, 6);
    expect(planned.instancesLowerBound.value).toBeLessThanOrEqual(planned.priceUsdPerHour);
  });

  it("are tried one at a time where nobody says how many places are left", () => {
    const { availableInstanceCount: _, ...unknown } = reservation("cr-1");
    expect(markets(plan(3, [unknown]))).toEqual(["cr-1", "on-demand", "on-demand"]);
  });

  it.each([
    [9, 1],
    [1, 9],
  ])("are as few as the class says that counts least, of %d and %d", (ofFirst, ofSecond) => {
    const second = classWithReservations(reservation("cr-1", { availableInstanceCount: ofSecond }));
    const nodeClasses = [
      classWithReservations(reservation("cr-1", { availableInstanceCount: ofFirst })),
      { ...second, metadata: { ...second.metadata, name: "second" } },
    ];
    const pools = [
      nodePool("a", { requirements: reservedOrOnDemand }),
      nodePool("b", { requirements: reservedOrOnDemand, nodeClass: "second" }),
    ];
    expect(markets(plan(3, [], { nodeClasses, pools }))).toEqual(["cr-1", "on-demand", "on-demand"]);
  });

  it.each([
    ["used up", { availableInstanceCount: 0 }],
    ["a block in its last minutes", { reservationType: "capacity-block", state: "expiring" } as const],
    [
      "a block that ends in half an hour",
      { reservationType: "capacity-block", endTime: formatTime(1_800_000) } as const,
    ],
    ["at its end", { endTime: formatTime(0) }],
    ["in a zone without the type", { availabilityZone: "z" }],
    ["of another type", { instanceType: "m5.metal" }],
  ])("are none on a reservation that is %s", (_, changes) => {
    expect(markets(plan(1, [reservation("cr-1", changes)]))).toEqual(["on-demand"]);
  });

  it("are made until a reservation ends, and in blocks as in any other", () => {
    const block = { reservationType: "capacity-block", endTime: formatTime(3_600_000) } as const;
    expect(markets(plan(1, [reservation("cr-1", block)]))).toEqual(["cr-1"]);
    expect(markets(plan(1, [reservation("cr-1", { endTime: formatTime(1_000) })]))).toEqual(["cr-1"]);
  });

  it("need a NodePool that admits them", () => {
    const pools = [nodePool("default", { requirements: [oneOf(label.capacityType, "on-demand")] })];
    expect(markets(plan(1, [reservation("cr-1")], { pools }))).toEqual(["on-demand"]);
  });

  it("are what the pod or the NodePool asks for by a reservation's labels", () => {
    const both = [reservation("cr-1"), reservation("cr-2", { reservationType: "capacity-block" })];
    const asked = (...term: NodeExpression[]) =>
      markets(plan(0, both, { pods: [pendingPod("p", { cpu: "2", spec: nodeTerms(term) })] }));
    expect(asked([label.reservationId, "In", "cr-2"])).toEqual(["cr-2"]);
    expect(asked([label.reservationType, "In", "default"])).toEqual(["cr-1"]);
    expect(asked([label.reservationId, "NotIn", "cr-1", "cr-2"])).toEqual(["on-demand"]);
    expect(asked([label.reservationId, "DoesNotExist"])).toEqual(["on-demand"]);
    const pools = [nodePool("default", { requirements: [oneOf(label.reservationId, "cr-2")] })];
    expect(markets(plan(1, both, { pools }))).toEqual(["cr-2"]);
  });

  it("leave pods over that nothing else may serve, and say why", () => {
    const pools = [nodePool("default", { requirements: [oneOf(label.capacityType, "reserved")] })];
    const short = plan(2, [reservation("cr-1")], { pools });
    expect(markets(short)).toEqual(["cr-1"]);
    expectUnschedulable(short, ["p-1"], "all places of the capacity reservations: cr-1 (1)");
  });

  it("go to a lighter NodePool when the heavier one has nothing but a reservation that is used up", () => {
    const pools = [
      nodePool("heavy", { weight: 9, requirements: [oneOf(label.capacityType, "reserved")] }),
      nodePool("light", { requirements: [oneOf(label.capacityType, "on-demand")] }),
    ];
    expect(markets(plan(2, [reservation("cr-1")], { pools }))).toEqual(["cr-1", "on-demand"]);
  });
});

describe("places of a reservation", () => {
  it("are handed out to static NodePools node by node, before pods get theirs", () => {
    const replicas = 2;
    const snapshot = snapshotWith({
      catalog: oneType,
      nodeClasses: [classWithReservations(reservation("cr-1"))],
      pools: [nodePool("static", { replicas, requirements: reservedOrOnDemand })],
    });
    const { nodeClaims } = planStaticCapacity(snapshot);
    expect(nodeClaims.map(({ offerings: [best] }) => best.reservationId ?? best.capacityType)).toEqual([
      "cr-1",
      "on-demand",
    ]);
    expect(nodeClaims.map(({ requirements }) => [...(requirements.get(label.capacityType)?.values ?? [])])).toEqual([
      ["reserved"],
      ["reserved", "on-demand"],
    ]);
  });

  const now = 1_000_000;
  const held = { [label.reservationId]: "cr-1", [label.capacityType]: "reserved" };
  const launched = (at: number) => ({
    providerID: "aws:///a/i-1",
    conditions: [{ type: "Launched", status: "True" as const, lastTransitionTime: formatTime(at) }],
  });

  it.each([
    ["just launched", now - 5_000, ["on-demand"]],
    ["known to the count since", now - 120_000, ["cr-1"]],
  ])("are taken by a node that is %s", (_, at, expected) => {
    const nodeClaims = [nodeClaim("before", { labels: held, status: launched(at) })];
    expect(markets(plan(1, [reservation("cr-1")], { now, nodeClaims }))).toEqual(expected);
  });
});

describe("offerings for a claim that asks for reserved capacity", () => {
  const snapshot = snapshotWith({
    catalog: oneType,
    nodeClasses: [classWithReservations(reservation("cr-1"), reservation("cr-2"))],
  });
  const offered = (...requirements: readonly ReturnType<typeof oneOf>[]) => {
    const claim = nodeClaim("made-by-hand");
    const asking = { ...claim, spec: { ...claim.spec, requirements: [...requirements] } };
    return claimOfferings(asking, snapshot).map(({ reservationId, capacityType }) => reservationId ?? capacityType);
  };

  it("come from every reservation, or from the one that is named", () => {
    expect(offered(oneOf(label.capacityType, "reserved"))).toEqual(["cr-1", "cr-2"]);
    expect(offered(oneOf(label.capacityType, "reserved"), oneOf(label.reservationId, "cr-2"))).toEqual(["cr-2"]);
    expect(offered(oneOf(label.reservationId, "cr-2"))).toEqual(["cr-2"]);
  });
});
