import { describe, expect, it } from "vitest";
import { label } from "../../shared/api/labels.ts";
import { performAction } from "../../shared/simulator/scenario-actions.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { deploymentNamed, statefulSetNamed } from "../support/cluster-objects.ts";
import { storageClass } from "../support/volumes.ts";
import { apply, secondsToRest, wholeStack } from "../support/whole-stack.ts";

const onDemand = { nodeSelector: { [label.capacityType]: "on-demand" } };
const onSpot = { nodeSelector: { [label.capacityType]: "spot" } };

/** Where a pod runs, by what is known of its node. */
function nodeOf({ cluster: { server } }: SimulatedWorld, pod: string) {
  const nodeName = server.get("Pod", { namespace: "default", name: pod })?.spec.nodeName ?? "";
  return { name: nodeName, zone: server.get("Node", { name: nodeName })?.metadata.labels?.[label.zone] };
}

describe("volumes in a cluster", () => {
  it("get as many nodes as can attach them, at the first attempt", async () => {
    const world = wholeStack();
    const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "gp3" } } } }];
    // An m5.large holds all these pods, but attaches 25 volumes for them.
    const spec = { ...onDemand, volumes };
    apply(world, [storageClass(), deploymentNamed("web", { replicas: 26, cpu: "10m", memory: "10Mi", spec })]);
    expect(await secondsToRest(world, { pods: 26, claims: 2 }, 240)).toBeLessThan(240);
    const { server } = world.cluster;
    const limits = server.list("CSINode").map(({ spec: { drivers } }) => drivers[0]?.allocatable?.count);
    expect(limits).toEqual([25, 25]);
    const byNode = Map.groupBy(server.list("Pod"), ({ spec: { nodeName } }) => nodeName);
    for (const pods of byNode.values()) expect(pods.length).toBeLessThanOrEqual(25);
  });

  it("bring the successor of an interrupted pod back to their zone", async () => {
    const world = wholeStack();
    const set = statefulSetNamed("db", { cpu: "500m", spec: onSpot });
    const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { storageClassName: "gp3" } }];
    apply(world, [storageClass(), { ...set, spec: { ...set.spec, volumeClaimTemplates } }]);
    expect(await secondsToRest(world, { pods: 1, claims: 1 }, 240)).toBeLessThan(240);
    const before = nodeOf(world, "db-0");
    performAction(world, { do: "interruptSpot", target: { node: before.name } });
    await world.loop.runUntil(world.loop.now() + 30_000);
    expect(await secondsToRest(world, { pods: 1, claims: 1 }, 600)).toBeLessThan(600);
    const after = nodeOf(world, "db-0");
    expect(after.name).not.toBe(before.name);
    expect(after.zone).toBe(before.zone);
  });
});
