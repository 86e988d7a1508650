import { describe, expect, it } from "vitest";
import type { VolumeAttachment } from "../../shared/api/storage.ts";
import { formatTime } from "../../shared/api/time.ts";
import { terminate } from "../../shared/controllers/termination.ts";
import { ProviderError } from "../../shared/ports.ts";
import { formatNominations } from "../../shared/state/nominations.ts";
import { formatReplacement } from "../../shared/state/replacement.ts";
import { budgetNamed } from "../support/cluster-objects.ts";
import {
  addClaim,
  addNode,
  addPod,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
  endPod,
} from "../support/controller-world.ts";
import { deleteByHand, nextStep, stepUntil } from "../support/termination-steps.ts";

function isLeaving(world: ControllerWorld, pod: string): boolean {
  return world.pod(pod)?.metadata.deletionTimestamp !== undefined;
}

function mark(world: ControllerWorld, node: string, replacement: Parameters<typeof formatReplacement>[0]): void {
  const annotations = { "journeyman.sh/replace": formatReplacement(replacement) };
  const taints = [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }];
  world.server.patch("Node", { name: node }, { metadata: { annotations }, spec: { taints } });
}

describe("termination", () => {
  it("marks the node, drains it, ends the instance, and takes Node and claim away", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one");
    deleteByHand(world, "one");
    await nextStep(world);
    expect(world.node("node-one")?.spec?.taints).toEqual([{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }]);
    expect(world.node("node-one")?.metadata.labels).toMatchObject({
      "node.kubernetes.io/exclude-from-external-load-balancers": "karpenter",
    });
    await stepUntil(world, () => isLeaving(world, "app"));
    await nextStep(world);
    expect(world.ec2.terminated).toEqual([]);
    endPod(world, "app");
    await stepUntil(world, () => world.ec2.terminated.length > 0);
    expect(world.node("node-one")).toBeDefined();
    world.ec2.end("i-one");
    await stepUntil(world, () => world.claim("one") === undefined);
    expect(world.node("node-one")).toBeUndefined();
    expect(world.sent).toEqual([]);
  });

  it("keeps watching an empty node for five seconds, for pods bound by a scheduler that had not seen the taint", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    deleteByHand(world, "one");
    await nextStep(world);
    await nextStep(world);
    addPod(world, "late", "one");
    await stepUntil(world, () => isLeaving(world, "late"));
    expect(world.ec2.terminated).toEqual([]);
  });

  it("runs a step once, however often its hint comes, and sends one next hint", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one");
    deleteByHand(world, "one");
    const [first] = world.sent.splice(0);
    const hints = first === undefined ? [] : [first.hint];
    await Promise.all([1, 2, 3].map(() => terminate(world.ports, world.settings, hints)));
    await terminate(world.ports, world.settings, hints);
    expect(world.sent).toMatchObject([{ hint: { step: 1 }, delaySeconds: 1 }]);
    expect(isLeaving(world, "app")).toBe(false);
  });

  it("obeys budgets: a refused eviction is tried again", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one", { labels: { app: "a" } });
    const selector = { matchLabels: { app: "a" } };
    world.server.create("PodDisruptionBudget", budgetNamed("guard", { selector, minAvailable: 1 }));
    deleteByHand(world, "one");
    for (let step = 0; step < 5; step++) await nextStep(world);
    expect(isLeaving(world, "app")).toBe(false);
    const reference = { name: "guard", namespace: "default" };
    world.server.patch("PodDisruptionBudget", reference, { spec: { minAvailable: 0 } });
    await stepUntil(world, () => isLeaving(world, "app"));
  });

  it("goes through all budgets when the claim's terminationGracePeriod is over", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one", { annotations: { "karpenter.sh/do-not-disrupt": "true" } });
    deleteByHand(world, "one");
    const at = formatTime(world.now() + 60_000);
    const annotations = { "karpenter.sh/nodeclaim-termination-timestamp": at };
    world.server.patch("NodeClaim", { name: "one" }, { metadata: { annotations } });
    await stepUntil(world, () => isLeaving(world, "app"));
    expect(world.now()).toBeGreaterThanOrEqual(Date.parse(at) - 30_000);
    expect(world.now()).toBeLessThan(Date.parse(at));
  });

  it("waits for volumes before it ends the instance", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    const attachment: VolumeAttachment = {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: "va" },
      spec: { nodeName: "node-one", source: { persistentVolumeName: "pv" } },
    };
    world.server.create("VolumeAttachment", attachment);
    deleteByHand(world, "one");
    for (let step = 0; step < 10; step++) await nextStep(world);
    expect(world.ec2.terminated).toEqual([]);
    world.server.delete("VolumeAttachment", { name: "va" });
    await stepUntil(world, () => world.ec2.terminated.length > 0);
  });

  it("of a machine that has ended drops its pods and objects at once", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one");
    world.ec2.end("i-one");
    const notReady = [{ type: "Ready", status: "Unknown" }];
    world.server.patch("Node", { name: "node-one" }, { status: { conditions: notReady } }, { subresource: "status" });
    deleteByHand(world, "one");
    await nextStep(world);
    expect([world.claim("one"), world.node("node-one"), world.pod("app")]).toEqual([undefined, undefined, undefined]);
  });

  it("survives a crash at any of its calls, when the overdue step is revived", async () => {
    for (let limit = 1; limit <= 25; limit++) {
      let calls = 0;
      const world = controllerWorld({
        afterCall: (verb) => {
          if (verb !== "get" && verb !== "list" && ++calls === limit)
            throw new ProviderError("Unknown", "Timeout", "lost answer");
        },
      });
      addRunningNode(world, "one");
      addPod(world, "app", "one");
      deleteByHand(world, "one");
      for (let step = 0; step < 30 && world.claim("one") !== undefined; step++) {
        await nextStep(world).catch(() => undefined);
        if (isLeaving(world, "app")) endPod(world, "app");
        if (world.ec2.terminated.length > 0) world.ec2.end("i-one");
        if (world.sent.length === 0) await revive(world);
      }
      expect(world.claim("one"), `crash after call ${limit}`).toBeUndefined();
      expect(world.node("node-one")).toBeUndefined();
    }
  });

  async function revive(world: ControllerWorld): Promise<void> {
    const claim = world.claim("one");
    if (claim === undefined) return;
    const { n } = JSON.parse(claim.metadata.annotations?.["journeyman.sh/step"] ?? '{"n":0}');
    world.sent.push({ hint: { kind: "termination", nodeClaim: "one", step: n, at: world.now() }, delaySeconds: 0 });
  }
});

describe("termination after an interruption", () => {
  function interrupted() {
    const world = controllerWorld();
    addRunningNode(world, "one");
    const app = addPod(world, "app", "one");
    const deadlineAt = world.now() + 120_000;
    mark(world, "node-one", { reason: "spot-interruption", noticedAt: world.now(), deadlineAt });
    deleteByHand(world, "one");
    return { world, deadlineAt, uid: app.metadata.uid ?? "" };
  }

  it("evicts a pod only when the node that was launched for it is ready", async () => {
    const { world, uid } = interrupted();
    const annotations = { "journeyman.sh/nominated-pods": formatNominations([{ uid, owner: "", class: "c" }]) };
    addClaim(world, "two", { annotations, conditions: ["Launched"] });
    for (let step = 0; step < 5; step++) await nextStep(world);
    expect(isLeaving(world, "app")).toBe(false);
    const initialized = [{ type: "Initialized", status: "True", lastTransitionTime: formatTime(world.now()) }];
    world.server.patch(
      "NodeClaim",
      { name: "two" },
      { status: { conditions: initialized } },
      { subresource: "status" },
    );
    await nextStep(world);
    expect(isLeaving(world, "app")).toBe(true);
  });

  it("evicts it at its last moment when no node has come", async () => {
    const { world, deadlineAt } = interrupted();
    await stepUntil(world, () => isLeaving(world, "app"));
    expect(world.now()).toBeGreaterThanOrEqual(deadlineAt - 40_000);
    expect(world.now()).toBeLessThanOrEqual(deadlineAt - 38_000);
  });

  it("does not wait for the pods of a machine that has ended, although its node still looks Ready", async () => {
    const { world } = interrupted();
    await stepUntil(world, () => isLeaving(world, "app"));
    await world.advance(40);
    world.ec2.end("i-one");
    await nextStep(world);
    expect([world.claim("one"), world.pod("app")]).toEqual([undefined, undefined]);
  });

  it("leaves an instance in its first hour to EC2, which then charges nothing", async () => {
    const { world, deadlineAt } = interrupted();
    await stepUntil(world, () => isLeaving(world, "app"));
    endPod(world, "app");
    await stepUntil(world, () => world.now() >= deadlineAt);
    expect(world.ec2.terminated).toEqual([]);
    await stepUntil(world, () => world.ec2.terminated.length > 0);
    expect(world.now()).toBeGreaterThanOrEqual(deadlineAt + 60_000);
  });
});

describe("termination of a claim without a node", () => {
  it("ends its instance without draining", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    addNode(world, "one");
    deleteByHand(world, "one");
    await nextStep(world);
    expect(world.ec2.terminated).toEqual(["i-one"]);
  });

  it("that was never launched removes the finalizer", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    world.ec2.instances.clear();
    world.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    deleteByHand(world, "one");
    await nextStep(world);
    expect(world.claim("one")).toBeUndefined();
  });

  it("ends an instance that its status does not name, and no other cluster's", async () => {
    const world = controllerWorld();
    addClaim(world, "one");
    world.ec2.instances.clear();
    const ours = { "karpenter.sh/nodeclaim": "one", "eks:eks-cluster-name": "cluster" };
    world.ec2.add({ instanceId: "i-ours", tags: ours });
    world.ec2.add({ instanceId: "i-theirs", tags: { ...ours, "eks:eks-cluster-name": "other" } });
    world.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    deleteByHand(world, "one");
    await nextStep(world);
    expect(world.ec2.terminated).toEqual(["i-ours"]);
    expect(world.claim("one")).toBeDefined();
    world.ec2.end("i-ours");
    await stepUntil(world, () => world.claim("one") === undefined);
  });
});
