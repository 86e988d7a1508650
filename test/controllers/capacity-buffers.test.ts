import { describe, expect, it } from "vitest";
import type { CapacityBuffer } from "../../shared/api/capacity-buffer.ts";
import { readSnapshot } from "../../shared/controllers/read-snapshot.ts";
import { planDisruption } from "../../shared/disruption/disruption-plan.ts";
import { ProviderError } from "../../shared/ports.ts";
import { bufferNamed, podTemplateNamed } from "../support/buffers.ts";
import { addRunningNode, type ControllerWorld, controllerWorld } from "../support/controller-world.ts";
import { addNodePool, addPendingPod, plannerWorld } from "../support/planner-world.ts";

function addBuffer({ server }: Pick<ControllerWorld, "server">, name: string, spec: Partial<CapacityBuffer["spec"]>) {
  server.create("CapacityBuffer", bufferNamed(name, spec));
}

function status({ server }: Pick<ControllerWorld, "server">, name: string) {
  return server.get("CapacityBuffer", { name, namespace: "default" })?.status;
}

describe("a pass with buffers", () => {
  it("goes on without them where the API server does not know them", async () => {
    const world = plannerWorld({
      beforeCall: (_verb, kind) => {
        if (kind === "CapacityBuffer") throw new ProviderError("NotFound", "NotFound", "no such resource");
      },
    });
    addNodePool(world, "default");
    addPendingPod(world, "web");

    await world.provision();

    expect(world.living()).toHaveLength(1);
  });

  it("reads of PodTemplates and workloads only what they refer to", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    world.server.create("PodTemplate", podTemplateNamed("spare"));
    world.server.create("PodTemplate", podTemplateNamed("other"));
    addBuffer(world, "web", { replicas: 1 });
    const read: string[] = [];
    const { kubernetes } = world.ports;
    const get: typeof kubernetes.get = (kind, reference) => {
      read.push(`${kind} ${reference.name}`);
      return kubernetes.get(kind, reference);
    };

    await readSnapshot(
      { ...world.ports, kubernetes: { ...kubernetes, get, list: (...list) => kubernetes.list(...list) } },
      world.settings,
    );

    expect(read.filter((one) => one.startsWith("PodTemplate"))).toEqual(["PodTemplate spare"]);
  });

  it("leaves buffers of another strategy alone", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    world.server.create("PodTemplate", podTemplateNamed("spare"));
    addBuffer(world, "theirs", { replicas: 1, provisioningStrategy: "example.com/cold" });

    await world.provision();

    expect(status(world, "theirs")).toBeUndefined();
    expect(world.claims()).toEqual([]);
  });

  it("counts no pod of theirs as unschedulable, and says on the buffer what is short", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    world.server.create("PodTemplate", podTemplateNamed("spare", { cpu: "64" }));
    addBuffer(world, "web", { replicas: 1 });

    await expect(world.provision()).resolves.toMatchObject({ plan: { unschedulable: [], nodeClaims: [] } });

    expect(world.telemetry.total("karpenter_scheduler_unschedulable_pods_count")).toBe(0);
    const provisioning = status(world, "web")?.conditions?.find(({ type }) => type === "Provisioning");
    expect(provisioning).toMatchObject({ status: "False", reason: "RequiresNewCapacity" });
    expect(provisioning?.message).toContain("1 have no place: default: ");
  });

  it("writes the status of one although that of another cannot be written, and counts as failed", async () => {
    const refusals = [new ProviderError("Denied", "Forbidden", "an admission policy says no")];
    const world = plannerWorld({
      beforeCall: (verb, kind) => {
        const error = verb === "patch-status" && kind === "CapacityBuffer" ? refusals.pop() : undefined;
        if (error !== undefined) throw error;
      },
    });
    addNodePool(world, "default");
    world.server.create("PodTemplate", podTemplateNamed("spare"));
    for (const name of ["a", "b"]) addBuffer(world, name, { replicas: 1 });

    await expect(world.provision()).rejects.toThrow("an admission policy says no");

    expect(["a", "b"].filter((name) => status(world, name) !== undefined)).toHaveLength(1);
    await world.provision();
    expect(["a", "b"].filter((name) => status(world, name) !== undefined)).toHaveLength(2);
  });

  it("writes no status that has not changed", async () => {
    const world = plannerWorld();
    addNodePool(world, "default");
    world.server.create("PodTemplate", podTemplateNamed("spare"));
    addBuffer(world, "web", { replicas: 1 });
    await world.provision();
    const version = () =>
      world.server.get("CapacityBuffer", { name: "web", namespace: "default" })?.metadata.resourceVersion;
    const before = version();

    await world.provision();

    expect(version()).toBe(before);
  });
});

describe("an empty node", () => {
  it("stays while a buffer has room on it, and no other does", async () => {
    const world = controllerWorld();
    addNodePool(world, "default");
    for (const name of ["a", "b"]) {
      addRunningNode(world, name);
      const allocatable = { cpu: "2", memory: "4Gi", pods: "10" };
      world.server.patch("Node", { name: `node-${name}` }, { status: { allocatable } }, { subresource: "status" });
    }
    world.server.create("PodTemplate", podTemplateNamed("spare"));
    addBuffer(world, "web", { replicas: 2 });
    await world.advance(60);

    const { command, decisions } = planDisruption(await readSnapshot(world.ports, world.settings));

    expect(command?.candidates.map(({ claim }) => claim.metadata.name)).toEqual(["b"]);
    expect(decisions).toContainEqual({
      nodeClaim: "a",
      outcome: "keep",
      reason: "it has room for CapacityBuffer default/web",
    });
  });
});
