import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { budgetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import {
  addClaim,
  addNode,
  addPod,
  addRunningNode,
  type ControllerWorld,
  controllerWorld,
} from "../../support/controller-world.ts";
import { addForeignClaim, eventsOn, patchNodeStatus, see, told } from "../../support/lifecycle.ts";

const sixteen = { cpu: "4", memory: "16Gi" };
const requesting = { resources: { requests: { cpu: "1", memory: "1Gi" } }, status: { capacity: sixteen } };

describe("consistency", () => {
  conforms("consist | node fine; foreign; far fewer resources (x3) | True; ignored; False + event", async () => {
    const world = controllerWorld();
    addRunningNode(world, "fine", requesting);
    patchNodeStatus(world, "fine", { capacity: { cpu: "4", memory: "14.5Gi" } });
    addForeignClaim(world, "theirs");
    addNode(world, "theirs", { taints: [] });
    addRunningNode(world, "small", requesting);
    patchNodeStatus(world, "small", { capacity: { cpu: "4", memory: "8Gi" } });
    await see(world);
    await see(world);
    const type = "ConsistentStateFound";
    expect(told(world, "fine", type)?.status).toBe("True");
    expect(eventsOn(world, "fine")).toEqual([]);
    expect(told(world, "theirs", type)).toBeUndefined();
    expect(told(world, "small", type)).toMatchObject({ status: "False", reason: "ConsistencyCheckFailed" });
    expect(told(world, "small", type)?.message).toBe("Node node-small has memory 8Gi; accepted: 90 % of 16Gi or more");
    expect(eventsOn(world, "small")).toEqual(["FailedConsistencyCheck"]);

    // A node that nothing will ever let go is as bad.
    addPod(world, "app", "fine", { labels: { app: "a" } });
    world.server.create(
      "PodDisruptionBudget",
      budgetNamed("none", { maxUnavailable: 0, selector: { matchLabels: { app: "a" } } }),
    );
    await see(world);
    expect(told(world, "fine", type)?.status).toBe("True");
    world.server.delete("NodeClaim", { name: "fine" });
    await see(world);
    expect(told(world, "fine", type)?.message).toContain("Pod default/app");
    expect(eventsOn(world, "fine")).toEqual(["FailedConsistencyCheck"]);
  });
});

describe("pod events", () => {
  conforms(
    "podevents | bind etc; node missing; claim missing; earlier value; within 10 s (x5) | set; no; ok; updated; de-duplicated",
    async () => {
      const world = controllerWorld();
      const last = (name: string) => world.claim(name)?.status?.lastPodEventTime;
      addRunningNode(world, "one");
      addRunningNode(world, "gone");
      const earlier = formatTime(world.now() - 3_600_000);
      addRunningNode(world, "earlier", { status: { lastPodEventTime: earlier } });
      await see(world);
      world.server.patch("Node", { name: "node-gone" }, { metadata: { finalizers: null } });
      world.server.delete("Node", { name: "node-gone" });
      for (const name of ["one", "earlier"]) addPod(world, `app-${name}`, name);
      await world.advance(60);
      await see(world);
      const bound = formatTime(world.now());
      expect([last("one"), last("gone"), last("earlier")]).toEqual([bound, undefined, bound]);

      // A pod on a node of nobody's is nothing to us.
      addClaim(world, "lone");
      addNode(world, "lone", { taints: [] });
      addPod(world, "app-lone", "lone");
      world.server.patch("NodeClaim", { name: "lone" }, { metadata: { finalizers: null } });
      world.server.delete("NodeClaim", { name: "lone" });

      await world.advance(9);
      addPod(world, "second", "one");
      await see(world);
      expect(last("one")).toBe(bound);
      await world.advance(1);
      await see(world);
      expect(last("one")).toBe(formatTime(world.now()));
    },
  );
});

describe("hydration", () => {
  function classLabels(world: ControllerWorld, name: string) {
    return [world.claim(name), world.node(`node-${name}`)].map((one) => one?.metadata.labels?.[label.nodeClass]);
  }

  conforms("hydrate | claim and node missing class label; foreign (x4) | label added; ignored", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addRunningNode(world, "named", { labels: { [label.nodeClass]: "special" } });
    addForeignClaim(world, "theirs");
    addNode(world, "theirs", { taints: [] });
    expect(classLabels(world, "one")).toEqual([undefined, undefined]);
    await see(world);
    expect(classLabels(world, "one")).toEqual(["default", "default"]);
    expect(classLabels(world, "named")[0]).toBe("special");
    expect(classLabels(world, "theirs")).toEqual([undefined, undefined]);
  });
});
