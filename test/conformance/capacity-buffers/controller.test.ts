import { describe, expect } from "vitest";
import type { CapacityBuffer } from "../../../shared/api/capacity-buffer.ts";
import type { KubernetesObject } from "../../../shared/api/kinds.ts";
import { bufferNamed, podTemplateNamed } from "../../support/buffers.ts";
import { deploymentNamed, statefulSetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { addNodePool, type PlannerWorld, plannerWorld } from "../../support/planner-world.ts";

function worldWith(...objects: readonly KubernetesObject[]): PlannerWorld {
  const world = plannerWorld();
  addNodePool(world, "default");
  for (const object of objects) world.server.create(object.kind, object);
  return world;
}

function buffer({ server }: PlannerWorld, name = "web"): CapacityBuffer | undefined {
  return server.get("CapacityBuffer", { name, namespace: "default" });
}

/** Reason of ReadyForProvisioning, and the replicas. */
function outcome(world: PlannerWorld) {
  const status = buffer(world)?.status;
  const ready = status?.conditions?.find(({ type }) => type === "ReadyForProvisioning");
  return [ready?.status, ready?.reason, status?.replicas];
}

async function outcomeOf(...objects: readonly KubernetesObject[]) {
  const world = worldWith(...objects);
  await world.provision();
  return outcome(world);
}

function scalable(kind: string, name: string, apiGroup = "apps"): CapacityBuffer {
  return bufferNamed("web", { scalableRef: { apiGroup, kind, name }, percentage: 50 });
}

describe("the controller of buffers", () => {
  conforms(
    "buffer.ctrl | template found / missing; Deployment; missing; StatefulSet; bad kind; bad group; nil replicas (x8) | conditions and counts",
    async () => {
      const template = podTemplateNamed("spare");
      const { replicas: _unset, ...spec } = deploymentNamed("app").spec;
      expect(await outcomeOf(template, bufferNamed("web", { replicas: 2 }))).toEqual(["True", "Resolved", 2]);
      expect(await outcomeOf(bufferNamed("web", { replicas: 2 }))).toEqual(["False", "PodTemplateNotFound", undefined]);
      const deployment = deploymentNamed("app", { replicas: 5, cpu: "1" });
      expect(await outcomeOf(deployment, scalable("Deployment", "app"))).toEqual(["True", "Resolved", 3]);
      expect(await outcomeOf(scalable("Deployment", "app"))).toEqual(["False", "ScalableRefNotFound", undefined]);
      const set = statefulSetNamed("app", { replicas: 4, cpu: "1" });
      expect(await outcomeOf(set, scalable("StatefulSet", "app"))).toEqual(["True", "Resolved", 2]);
      expect(await outcomeOf(scalable("CronJob", "app"))).toEqual(["False", "ResolutionFailed", undefined]);
      expect(await outcomeOf(deployment, scalable("Deployment", "app", "example.com"))).toEqual([
        "False",
        "ResolutionFailed",
        undefined,
      ]);
      expect(await outcomeOf({ ...deploymentNamed("app"), spec }, scalable("Deployment", "app"))).toEqual([
        "True",
        "Resolved",
        1,
      ]);
    },
  );

  conforms("buffer.ctrl | PodTemplate changed | re-resolved, generation recorded", async () => {
    const world = worldWith(podTemplateNamed("spare", { cpu: "1" }), bufferNamed("web", { limits: { cpu: "4" } }));
    await world.provision();
    const first = buffer(world)?.status;
    expect(first).toMatchObject({ replicas: 4, podTemplateRef: { name: "spare" } });

    const { template } = podTemplateNamed("spare", { cpu: "2" });
    world.server.patch("PodTemplate", { name: "spare", namespace: "default" }, { template });
    await world.provision();

    const { generation } = world.server.get("PodTemplate", { name: "spare", namespace: "default" })?.metadata ?? {};
    expect(buffer(world)?.status).toMatchObject({ replicas: 2 });
    expect(buffer(world)?.status?.podTemplateGeneration ?? undefined).toBe(generation);
  });

  conforms("buffer.ctrl | success / failure (x2) | provisioner triggered / not", async () => {
    const resolved = worldWith(podTemplateNamed("spare"), bufferNamed("web", { replicas: 1 }));
    await resolved.provision();
    expect(resolved.claims()).toHaveLength(1);
    expect(buffer(resolved)?.status?.conditions?.at(-1)).toMatchObject({ reason: "RequiresNewCapacity" });

    const failed = worldWith(bufferNamed("web", { replicas: 1 }));
    await failed.provision();
    expect(failed.claims()).toEqual([]);
    expect(buffer(failed)?.status?.conditions?.at(-1)).toMatchObject({ reason: "NotReadyForProvisioning" });
  });

  conforms(
    "buffer.ctrl | template event → none, one, many buffers, nil ref (x4) | only referencing buffers enqueued",
    async () => {
      const names = ["one", "two", "other"];
      const world = worldWith(
        ...["spare", "unused", "elsewhere"].map((name) => podTemplateNamed(name, { cpu: "500m" })),
        deploymentNamed("app", { cpu: "500m" }),
        bufferNamed("one", { limits: { cpu: "1" } }),
        bufferNamed("two", { limits: { cpu: "2" } }),
        bufferNamed("other", { podTemplateRef: { name: "elsewhere" }, limits: { cpu: "1" } }),
        bufferNamed("scaled", { scalableRef: { kind: "Deployment", name: "app" }, replicas: 1 }),
      );
      await world.provision();
      const sizes = () => [...names, "scaled"].map((name) => buffer(world, name)?.status?.replicas);
      expect(sizes()).toEqual([2, 4, 2, 1]);
      const change = async (name: string) => {
        const { template } = podTemplateNamed(name, { cpu: "1" });
        world.server.patch("PodTemplate", { name, namespace: "default" }, { template });
        await world.provision();
        return sizes();
      };
      expect(await change("unused")).toEqual([2, 4, 2, 1]);
      expect(await change("elsewhere")).toEqual([2, 4, 1, 1]);
      expect(await change("spare")).toEqual([1, 2, 1, 1]);
    },
  );
});
