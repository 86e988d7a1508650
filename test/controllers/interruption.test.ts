import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { formatTime } from "../../shared/api/time.ts";
import { interrupt } from "../../shared/controllers/interruption.ts";
import { metric } from "../../shared/metrics.ts";
import { ProviderError } from "../../shared/ports.ts";
import { replacementOf } from "../../shared/state/replacement.ts";
import {
  addClaim,
  addPod,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../support/controller-world.ts";

function event(
  world: ControllerWorld,
  detailType: string,
  instanceId: string,
  detail: Readonly<Record<string, unknown>> = {},
) {
  return {
    "detail-type": detailType,
    source: "aws.ec2",
    account: "123456789012",
    region: "us-east-1",
    time: new Date(world.now()).toISOString(),
    detail: { "instance-id": instanceId, ...detail },
  };
}

const spot = "EC2 Spot Instance Interruption Warning";
const rebalance = "EC2 Instance Rebalance Recommendation";
const stateChange = "EC2 Instance State-change Notification";

function replacement(world: ControllerWorld, name: string) {
  const node = world.node(`node-${name}`);
  return node && replacementOf(node);
}

function isDeleting(world: ControllerWorld, name: string): boolean {
  return world.claim(name)?.metadata.deletionTimestamp !== undefined;
}

describe("a spot notice", () => {
  it("taints and marks the node, marks the offering, deletes the claim and wakes the planner once for the batch", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addRunningNode(world, "two");
    await interrupt(world.ports, world.settings, [event(world, spot, "i-one"), event(world, spot, "i-two")]);
    for (const name of ["one", "two"]) {
      expect(replacement(world, name)).toMatchObject({
        reason: "spot-interruption",
        deadlineAt: world.now() + 120_000,
      });
      expect(world.node(`node-${name}`)?.spec?.taints).toMatchObject([{ key: "karpenter.sh/disrupted" }]);
      expect(isDeleting(world, name)).toBe(true);
    }
    const hints = world.sent.map(({ hint }) => hint);
    expect(hints.filter(({ kind }) => kind === "provision")).toMatchObject([{ reason: "node-leaving" }]);
    expect(hints.filter(({ kind }) => kind === "termination")).toHaveLength(2);
    const reference = { name: "journeyman-unavailable-offerings", namespace: "journeyman" };
    const { data = {} } = world.server.get("ConfigMap", reference) ?? {};
    expect(Object.keys(data)).toEqual(["m5.large_us-east-1a_spot"]);
    expect(JSON.parse(data["m5.large_us-east-1a_spot"] ?? "")).toMatchObject({
      until: formatTime(world.now() + 180_000),
      times: 1,
    });
  });

  it("of a capacity reservation keeps the reservation away, and no other of the type", async () => {
    const world = controllerWorld();
    const labels = { [label.capacityType]: "reserved", [label.reservationId]: "cr-1" };
    addRunningNode(world, "one", { labels });
    const warning = "EC2 Capacity Reservation Instance Interruption Warning";
    await interrupt(world.ports, world.settings, [event(world, warning, "i-one")]);
    const reference = { name: "journeyman-unavailable-offerings", namespace: "journeyman" };
    const { data = {} } = world.server.get("ConfigMap", reference) ?? {};
    expect(Object.keys(data)).toEqual(["m5.large_cr-1_reserved"]);
  });

  it("evicts nothing itself: its pods get new capacity first", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one");
    await interrupt(world.ports, world.settings, [event(world, spot, "i-one")]);
    expect(world.pod("app")?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("makes one departure of warning, copy and state change", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    await interrupt(world.ports, world.settings, [event(world, spot, "i-one"), event(world, spot, "i-one")]);
    const first = replacement(world, "one");
    await world.advance(1);
    await interrupt(world.ports, world.settings, [event(world, spot, "i-one")]);
    expect(replacement(world, "one")).toEqual(first);
    const gone = event(world, stateChange, "i-one", { state: "terminated" });
    await interrupt(world.ports, world.settings, [gone]);
    expect(replacement(world, "one")).toMatchObject({ reason: "instance-stopping", deadlineAt: world.now() });
  });

  it("for a node that has not registered deletes the claim alone", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    await interrupt(world.ports, world.settings, [event(world, spot, "i-one")]);
    expect(isDeleting(world, "one")).toBe(true);
  });

  it("for somebody else's instance is counted and dropped", async () => {
    const world = controllerWorld();
    await interrupt(world.ports, world.settings, [event(world, spot, "i-foreign"), "nonsense"]);
    expect(world.telemetry.total(metric.foreignEvents)).toBe(1);
    expect(world.sent).toEqual([]);
  });

  it("that cannot mark a node does not delete its claim, deals with the others, and asks to be sent again", async () => {
    const world = controllerWorld({
      beforeCall: (verb, kind) => {
        if (verb === "patch" && kind === "Node" && refusals-- > 0) throw new ProviderError("Denied", "Forbidden", "no");
      },
    });
    let refusals = 0;
    addRunningNode(world, "one");
    addRunningNode(world, "two");
    refusals = 1;
    const batch = [event(world, spot, "i-one"), event(world, spot, "i-two")];
    await expect(interrupt(world.ports, world.settings, batch)).rejects.toThrow("no");
    expect([isDeleting(world, "one"), isDeleting(world, "two")]).toEqual([false, true]);
    await interrupt(world.ports, world.settings, batch);
    expect(isDeleting(world, "one")).toBe(true);
  });
});

describe("a rebalance recommendation", () => {
  it("is acted on only for a NodePool that asks for it", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    await interrupt(world.ports, world.settings, [event(world, rebalance, "i-one")]);
    expect(isDeleting(world, "one")).toBe(false);
    const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
    world.server.create("NodePool", {
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "default", annotations: { "journeyman.sh/on-rebalance": "replace" } },
      spec: {
        template: { spec: { nodeClassRef, requirements: [], expireAfter: "Never" } },
        disruption: { consolidateAfter: "0s", consolidationPolicy: "WhenEmpty", budgets: [] },
      },
    });
    await interrupt(world.ports, world.settings, [event(world, rebalance, "i-one")]);
    expect(isDeleting(world, "one")).toBe(true);
    expect(replacement(world, "one")).toEqual({ reason: "rebalance", noticedAt: world.now() });
    await interrupt(world.ports, world.settings, [event(world, spot, "i-one")]);
    expect(replacement(world, "one")).toMatchObject({ reason: "spot-interruption", deadlineAt: world.now() + 120_000 });
  });
});
