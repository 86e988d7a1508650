import { describe, expect, it } from "vitest";
import type { Event } from "../../shared/api/core.ts";
import { writePodEvents } from "../../shared/controllers/pod-events.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { metric } from "../../shared/metrics.ts";
import { ProviderError } from "../../shared/ports.ts";
import type { ProvisioningPlan } from "../../shared/provisioning/plan.ts";
import { planProvisioning } from "../../shared/provisioning/scheduler.ts";
import { addNodePool, addPendingPod, type PlannerWorld, plannerWorld } from "../support/planner-world.ts";

function eventsOf({ server }: PlannerWorld): readonly Event[] {
  return server.list("Event");
}

/** The plan of the world as it is, with a pod refused for each name. */
async function refusing(world: PlannerWorld, names: readonly string[], reason = "no room"): Promise<ProvisioningPlan> {
  const snapshot = await world.settle(readSnapshot(world.ports, world.settings));
  const plan = planProvisioning(snapshot);
  const unschedulable = snapshot.pods
    .filter(({ name }) => names.includes(name))
    .map((pod) => ({ pod, reasons: [{ nodePool: "a", reason }] }));
  return { ...plan, nodeClaims: [], existing: [], unschedulable };
}

describe("after a pass", () => {
  it("a pod without a place has an event with the nearest NodePool's reason and what it would accept", async () => {
    const world = plannerWorld();
    addNodePool(world, "small");
    addNodePool(world, "elsewhere", { zones: ["us-east-1b"] });
    addPendingPod(world, "huge", {
      cpu: "500",
      spec: { nodeSelector: { "topology.kubernetes.io/zone": "us-east-1a" } },
    });

    await world.provision();

    const [event, another] = eventsOf(world);
    expect(another).toBeUndefined();
    expect(event).toMatchObject({
      type: "Warning",
      reason: "FailedScheduling",
      source: { component: "journeyman" },
      involvedObject: { kind: "Pod", name: "huge", namespace: "default", uid: world.pod("huge")?.metadata.uid },
    });
    expect(event?.message).toMatch(/^NodePool small: no instance type is large enough: m5\.large, lacks cpu 500/);
    expect(event?.message).toContain("accepted: at most 1.93; 1 other NodePool cannot take it either");
  });

  it("a pod whose host port a DaemonSet takes is told which DaemonSet", async () => {
    const world = plannerWorld();
    addNodePool(world, "small");
    const ports = [{ containerPort: 8080, hostPort: 8080 }];
    const spec = { containers: [{ name: "app", image: "app", ports }] };
    world.server.create("DaemonSet", {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "agent", namespace: "default" },
      spec: { selector: { matchLabels: { app: "agent" } }, template: { metadata: { labels: { app: "agent" } }, spec } },
    });
    addPendingPod(world, "gateway", { spec });

    await world.provision();

    expect(world.claims()).toEqual([]);
    expect(eventsOf(world)[0]?.message).toContain("host port 8080 is always taken by DaemonSet default/agent");
  });

  it("a planned pod has an event that names its NodeClaim", async () => {
    const world = plannerWorld();
    addNodePool(world, "small");
    addPendingPod(world, "web");

    await world.provision();

    const [claim] = world.claims();
    expect(eventsOf(world)).toMatchObject([{ type: "Normal", reason: "Nominated", involvedObject: { name: "web" } }]);
    expect(eventsOf(world)[0]?.message).toContain(
      `NodeClaim ${claim?.metadata.name} is made for it: m5.large on-demand`,
    );
  });

  it("the same news are told once, and other news of the same pod again", async () => {
    const world = plannerWorld();
    addPendingPod(world, "web");
    for (const reason of ["no room", "no room", "no zone"]) {
      await world.settle(writePodEvents(world.ports, await refusing(world, ["web"], reason), new Map()));
    }
    const messages = eventsOf(world).map(({ message }) => message);
    expect(messages.sort()).toEqual(["NodePool a: no room", "NodePool a: no zone"]);
  });

  it("has at most 1 KiB of text, whatever the reasons", async () => {
    const world = plannerWorld();
    addPendingPod(world, "web");
    const plan = await refusing(world, ["web"], "ü".repeat(2_000));
    await world.settle(writePodEvents(world.ports, plan, new Map()));
    const { message = "" } = eventsOf(world)[0] ?? {};
    expect(new TextEncoder().encode(message).length).toBeLessThanOrEqual(1_024);
    expect(message).toMatch(/ü$/);
  });

  it("tells 50 pods at most, and in some minutes all of them, in whichever minutes the passes fall", async () => {
    for (const minutes of [1, 2, 5]) {
      const world = plannerWorld();
      const names = Array.from({ length: 120 }, (_, index) => `web-${index}`);
      for (const name of names) addPendingPod(world, name);
      const plan = await refusing(world, names);
      let told = 0;
      for (let pass = 0; pass < 12; pass++) {
        await world.settle(writePodEvents(world.ports, plan, new Map()));
        expect(eventsOf(world).length - told).toBeLessThanOrEqual(50);
        told = eventsOf(world).length;
        await world.advance(minutes * 60);
      }
      expect(told).toBe(120);
    }
  });

  it("says nothing of the pods that stand for spare room", async () => {
    const world = plannerWorld();
    addPendingPod(world, "web");
    const plan = await refusing(world, ["web"]);
    const owner = { apiVersion: "autoscaling.x-k8s.io/v1beta1", kind: "CapacityBuffer", name: "b", uid: "b" };
    const unschedulable = plan.unschedulable.map((entry) => ({ ...entry, pod: { ...entry.pod, owner } }));
    await world.settle(writePodEvents(world.ports, { ...plan, unschedulable }, new Map()));
    expect(eventsOf(world)).toEqual([]);
  });

  it("events that cannot be written are counted, and the pass is done all the same", async () => {
    const world = plannerWorld({
      beforeCall: (_verb, kind) => {
        if (kind === "Event") throw new ProviderError("Denied", "Forbidden", "the namespace is going");
      },
    });
    addNodePool(world, "small");
    addPendingPod(world, "web");

    expect(await world.provision()).toMatchObject({ kind: "finished" });
    expect(world.living()).toHaveLength(1);
    expect(world.telemetry.total(metric.eventFailures)).toBe(1);
  });
});
