import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { type NodePool, nodePool } from "../../shared/api/node-pool.ts";
import { addPendingPod, plannerWorld } from "../support/planner-world.ts";

/** A NodePool of reserved and on-demand m5.large, and a reservation that the class says has room for `counted`, and EC2 for `real`. */
function reservedWorld({ counted, real }: { readonly counted: number; readonly real: number }) {
  const world = plannerWorld();
  const requirements = [
    { key: label.capacityType, operator: "In", values: ["reserved", "on-demand"] },
    { key: label.instanceType, operator: "In", values: ["m5.large"] },
  ];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  world.server.create("NodePool", poolOf({ template: { spec: { nodeClassRef, requirements } } }));
  const reservation = { id: "cr-1", instanceType: "m5.large", availabilityZone: "us-east-1a" };
  const capacityReservations = [{ ...reservation, availableInstanceCount: counted }];
  world.server.patch(
    "EC2NodeClass",
    { name: "default" },
    { status: { capacityReservations } },
    { subresource: "status" },
  );
  world.aws.addCapacityReservation({ id: "cr-1", instanceType: "m5.large", zone: "us-east-1a" }, real);
  return world;
}

function poolOf(spec: object): NodePool {
  return nodePool.parse({ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "default" }, spec });
}

const markets = (world: ReturnType<typeof plannerWorld>) =>
  world
    .living()
    .map(({ capacityType, capacityReservationId: id }) => (id === undefined ? capacityType : `${capacityType} ${id}`));

describe("a launch on a capacity reservation", () => {
  it("names the reservation to EC2, and takes no more than its places", async () => {
    const world = reservedWorld({ counted: 2, real: 2 });
    for (const name of ["a", "b", "c"]) addPendingPod(world, name);
    await world.provision();
    expect(markets(world).sort()).toEqual(["on-demand", "reserved cr-1", "reserved cr-1"]);
    const [reserved] = world.requests.filter(({ capacityType }) => capacityType === "reserved");
    expect(reserved).toMatchObject({ capacityReservationId: "cr-1", capacityReservationType: "default", maxCount: 2 });
  });

  it("labels the NodeClaim with the reservation", async () => {
    const world = reservedWorld({ counted: 1, real: 1 });
    addPendingPod(world, "a");
    await world.provision();
    expect(world.claims()[0]?.metadata.labels).toMatchObject({
      [label.capacityType]: "reserved",
      [label.reservationId]: "cr-1",
      [label.reservationType]: "default",
      [label.reservationInterruptible]: "false",
    });
  });

  it("labels no other node with it, though its type is in the reservation", async () => {
    const world = reservedWorld({ counted: 0, real: 0 });
    addPendingPod(world, "a");
    await world.provision();
    const labels = world.claims()[0]?.metadata.labels ?? {};
    expect(labels[label.capacityType]).toBe("on-demand");
    expect(Object.keys(labels).filter((key) => key.includes("capacity-reservation"))).toEqual([]);
  });

  it("falls back to the other offerings at once when EC2 has no place after all", async () => {
    const world = reservedWorld({ counted: 2, real: 1 });
    for (const name of ["a", "b"]) addPendingPod(world, name);
    await world.provision();
    expect(markets(world).sort()).toEqual(["on-demand", "reserved cr-1"]);
    // Remembered by the reservation's id: the next pass does not try it again, whatever the class still says.
    addPendingPod(world, "c");
    const before = world.requests.length;
    await world.provision();
    expect(world.requests.slice(before).map(({ capacityType }) => capacityType)).toEqual(["on-demand"]);
  });

  it("asks each reservation for its own places, though the instances are alike", async () => {
    const world = reservedWorld({ counted: 1, real: 1 });
    const second = { id: "cr-2", instanceType: "m5.large", zone: "us-east-1a" };
    world.aws.addCapacityReservation(second, 1);
    const capacityReservations = ["cr-1", "cr-2"].map((id) => {
      return { id, instanceType: "m5.large", availabilityZone: "us-east-1a", availableInstanceCount: 1 };
    });
    const status = { capacityReservations };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
    for (const name of ["a", "b"]) addPendingPod(world, name);
    await world.provision();
    expect(markets(world).sort()).toEqual(["reserved cr-1", "reserved cr-2"]);
    expect(world.requests.map(({ maxCount }) => maxCount)).toEqual([1, 1]);
  });

  it("goes elsewhere when the reservation is gone", async () => {
    const world = reservedWorld({ counted: 1, real: 1 });
    const status = { capacityReservations: [{ id: "cr-2", instanceType: "m5.large", availabilityZone: "us-east-1a" }] };
    world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
    addPendingPod(world, "a");
    await world.provision();
    expect(markets(world)).toEqual(["on-demand"]);
  });
});
