import { describe, expect, it } from "vitest";
import { type Kind, type KubernetesObject, kinds } from "../../shared/api/kinds.ts";
import type { Deployment } from "../../shared/api/workloads.ts";
import { metric } from "../../shared/metrics.ts";
import { performAction } from "../../shared/simulator/scenario-actions.ts";
import { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { deploymentNamed } from "../support/cluster-objects.ts";
import { startAt } from "../support/controller-world.ts";
import { nodeClaim } from "../support/node-claims.ts";
import { nodePool } from "../support/node-pools.ts";
import { objects as all } from "../support/reliability-scenario.ts";

const minute = 60_000;
const objects = all.filter(({ metadata: { name } }) => ["default", "flexible", "agent", "web"].includes(name));

/** A world whose settings can be changed while it runs. */
function worldWith(changes: { readonly observe: boolean }) {
  const settings = { ...defaultSettings, region: "us-east-1", ...changes };
  const world = new SimulatedWorld({ seed: 1, settings, startAt });
  return { world, settings, run: (minutes: number) => world.loop.runUntil(world.loop.now() + minutes * minute) };
}

/** Calls of our functions that change something, by `kubernetes verb Kind` or `ec2 Action`. */
function writes(world: SimulatedWorld): Readonly<Record<string, number>> {
  const isRead = /^(kubernetes (list|get) |ec2 Describe)/;
  return Object.fromEntries(world.apiCalls().flatMap(({ api, calls }) => (isRead.test(api) ? [] : [[api, calls]])));
}

/** What was written since, but for our own Leases and ConfigMaps. */
function changesSince(world: SimulatedWorld, before: ReturnType<typeof writes>): readonly string[] {
  return Object.entries(writes(world)).flatMap(([api, calls]) =>
    calls === before[api] || ownFacts.test(api) ? [] : [api],
  );
}

const ownFacts = /^kubernetes (create|patch) (Lease|ConfigMap)$/;

describe("observe mode", () => {
  it("plans for the pods, and writes nothing but its Leases and ConfigMaps", async () => {
    const { world, settings, run } = worldWith({ observe: false });
    const isPlanned = ({ kind }: KubernetesObject) => kind === "NodePool" || kind === "EC2NodeClass";
    performAction(world, { do: "apply", objects: objects.filter(isPlanned) });
    // Until the class and the pools are ready, as a Karpenter would have made them.
    await run(2);
    settings.observe = true;
    const before = writes(world);
    performAction(world, { do: "apply", objects: objects.filter((object) => !isPlanned(object)) });
    await run(4);
    expect(changesSince(world, before)).toEqual([]);
    expect(world.cluster.server.list("NodeClaim")).toEqual([]);
    expect(world.ec2.instances()).toEqual([]);
    const plans = world.telemetry.lines.filter(({ message }) => message === "plan");
    expect(plans.length).toBeGreaterThan(3);
    expect(plans.at(-1)?.fields).toMatchObject({ mode: "observe", priceUsdPerHour: expect.any(Number) });
    expect(world.telemetry.lines.some(({ message }) => message === "observe mode: not done: create NodeClaim")).toBe(
      true,
    );
    expect(world.telemetry.total(metric.plannedPriceUsdPerHour)).toBeGreaterThan(0);
    expect(world.bugs).toEqual([]);
  });

  it("leaves nodes, claims and instances that are there as they are, whatever becomes of them", async () => {
    const { world, settings, run } = worldWith({ observe: false });
    performAction(world, { do: "apply", objects });
    await run(3);
    expect(world.ec2.instances().length).toBeGreaterThan(0);
    const [doomed] = world.cluster.server.list("NodeClaim");
    settings.observe = true;
    // What is on its way when the setting changes comes to its end.
    await run(1);
    const before = writes(world);
    world.cluster.server.delete("NodeClaim", { name: doomed?.metadata.name ?? "" }, { user: "someone" });
    performAction(world, { do: "interruptSpot", target: { count: 1 } });
    performAction(world, { do: "scale", kind: "Deployment", namespace: "default", name: "web", replicas: 14 });
    await run(4);
    expect(changesSince(world, before)).toEqual([]);
    expect(writes(world)["kubernetes patch Lease"]).toBeGreaterThan(before["kubernetes patch Lease"] ?? 0);
    expect(world.cluster.server.get("NodeClaim", { name: doomed?.metadata.name ?? "" })).toBeDefined();
    expect(world.bugs).toEqual([]);
  });
});

const karpenter: Deployment = {
  ...deploymentNamed("karpenter", { replicas: 0, cpu: "1" }),
  metadata: { name: "karpenter", namespace: "kube-system", labels: { "app.kubernetes.io/name": "karpenter" } },
};

describe("beside a Karpenter that runs", () => {
  it("nothing is done until its Deployment has no ready replica any more", async () => {
    const { world, run } = worldWith({ observe: false });
    performAction(world, { do: "apply", objects: [...objects, { ...karpenter, status: { readyReplicas: 1 } }] });
    await run(4);
    expect(writes(world)).toEqual({});
    expect(world.telemetry.total(metric.karpenterRuns)).toBeGreaterThan(3);
    expect(world.telemetry.lines.map(({ fields }) => fields?.why)).toContain(
      "Deployment kube-system/karpenter has 1 ready replicas",
    );
    world.cluster.server.patch("Deployment", karpenterReference, { status: { readyReplicas: 0 } });
    await run(3);
    expect(world.ec2.instances().length).toBeGreaterThan(0);
  });
});

const karpenterReference = { name: "karpenter", namespace: "kube-system" };

describe("NodePools and NodeClaims of another class", () => {
  it("are left alone: nothing is planned from them and nothing of them is written", async () => {
    const { world, run } = worldWith({ observe: false });
    const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
    const auto = nodePool("general-purpose");
    const template = { ...auto.spec.template, spec: { ...auto.spec.template.spec, nodeClassRef } };
    const claim = nodeClaim("general-purpose-1");
    const others: readonly KubernetesObject[] = [
      { ...auto, spec: { ...auto.spec, template } },
      { ...claim, spec: { ...claim.spec, nodeClassRef } },
    ];
    performAction(world, { do: "apply", objects: [...others, deploymentNamed("web", { replicas: 3, cpu: "1" })] });
    const versions = () => others.map(({ kind, metadata }) => versionOf(world, kind, metadata.name));
    const before = versions();
    await run(20);
    expect(versions()).toEqual(before);
    expect(world.cluster.server.list("NodeClaim")).toHaveLength(1);
    expect(world.ec2.instances()).toEqual([]);
  });
});

function versionOf(world: SimulatedWorld, kind: Kind, name: string): string | undefined {
  expect(kinds[kind].namespaced).toBe(false);
  return world.cluster.server.get(kind, { name })?.metadata.resourceVersion;
}
