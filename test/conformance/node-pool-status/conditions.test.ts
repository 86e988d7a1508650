import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { type NodePool, nodePool } from "../../../shared/api/node-pool.ts";
import type { Condition } from "../../../shared/api/schema.ts";
import { conditionOf } from "../../../shared/state/conditions.ts";
import { conforms } from "../../support/conformance.ts";
import { addNode, type ControllerWorld, controllerWorld } from "../../support/controller-world.ts";
import { addOwnedClaim, pooledWorld, poolOf, see } from "../../support/lifecycle.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { addNodePool } from "../../support/planner-world.ts";
import { provisionStatus } from "../../support/pool-status.ts";

const onStatus = { subresource: "status" } as const;

function addForeignPool({ server }: ControllerWorld): NodePool {
  const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
  const object = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "theirs" } };
  const template = { spec: { nodeClassRef, requirements: [] } };
  return server.create("NodePool", nodePool.parse({ ...object, spec: { template } }));
}

async function conditionsOf(world: ControllerWorld, name = "default"): Promise<readonly Condition[]> {
  await provisionStatus(world);
  return poolOf(world, name).status?.conditions ?? [];
}

async function outcome(world: ControllerWorld, type: string, name = "default") {
  const found = (await conditionsOf(world, name)).find((condition) => condition.type === type);
  return [found?.status, found?.reason];
}

function setClassReady({ server }: ControllerWorld, ready?: Pick<Condition, "status" | "reason">): void {
  const conditions =
    ready === undefined ? [] : [{ type: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z", ...ready }];
  server.patch("EC2NodeClass", { name: "default" }, { status: { conditions } }, onStatus);
}

conforms(
  "ready | foreign; class missing; ready; not ready; no conditions; terminating (x6) | NodeClassReady accordingly",
  async () => {
    const world = controllerWorld();
    addForeignPool(world);
    expect(await conditionsOf(world, "theirs")).toEqual([]);
    addNodePool(world, "default");
    const type = "NodeClassReady";
    expect(await outcome(world, type)).toEqual(["False", "NodeClassNotFound"]);
    world.server.create("EC2NodeClass", nodeClass());
    expect(await outcome(world, type)).toEqual(["False", "NodeClassReadinessUnknown"]);
    setClassReady(world, { status: "False", reason: "SubnetsNotFound" });
    expect(await outcome(world, type)).toEqual(["False", "SubnetsNotFound"]);
    expect(await outcome(world, "Ready")).toEqual(["False", "UnhealthyDependents"]);
    setClassReady(world, { status: "True", reason: "Ready" });
    expect(await outcome(world, type)).toEqual(["True", type]);
    expect(await outcome(world, "Ready")).toEqual(["True", "Ready"]);
    setClassReady(world);
    expect(await outcome(world, type)).toEqual(["False", "NodeClassReadinessUnknown"]);
    setClassReady(world, { status: "True", reason: "Ready" });
    world.server.patch(
      "EC2NodeClass",
      { name: "default" },
      { metadata: { finalizers: ["karpenter.k8s.aws/termination"] } },
    );
    world.server.delete("EC2NodeClass", { name: "default" });
    expect(await outcome(world, type)).toEqual(["False", "NodeClassTerminating"]);
  },
);

describe("registration health", () => {
  const type = "NodeRegistrationHealthy";
  const untouched = {
    type,
    status: "True",
    reason: "theirs",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  } as const;

  function tell({ server }: ControllerWorld, name: string, condition: Condition = untouched): void {
    server.patch("NodePool", { name }, { status: { conditions: [condition] } }, onStatus);
  }

  /** A claim of the pool that becomes a node, or never does. */
  async function launch(world: ControllerWorld, name: string, becomesNode: boolean): Promise<void> {
    addOwnedClaim(world, name);
    if (becomesNode) addNode(world, name);
    else await world.advance(world.settings.registrationTimeoutSeconds);
    await see(world);
  }

  conforms(
    "reghealth | foreign; class missing; class generation changed; pool changed; already True; already False (x6) | untouched; untouched; Unknown+reset; Unknown; kept; kept",
    async () => {
      const alone = controllerWorld();
      addForeignPool(alone);
      addNodePool(alone, "default");
      for (const name of ["theirs", "default"]) tell(alone, name);
      for (const name of ["theirs", "default"]) {
        expect(conditionOf({ status: { conditions: [...(await conditionsOf(alone, name))] } }, type)).toEqual(
          untouched,
        );
      }

      const world = pooledWorld();
      await launch(world, "one", true);
      expect(await outcome(world, type)).toEqual(["True", type]);
      expect(await outcome(world, type)).toEqual(["True", type]);
      await launch(world, "two", false);
      await launch(world, "three", false);
      expect(await outcome(world, type)).toEqual(["False", "RegistrationFailed"]);
      expect(await outcome(world, type)).toEqual(["False", "RegistrationFailed"]);

      const tags = { team: "shop" };
      world.server.patch("EC2NodeClass", { name: "default" }, { spec: { tags } });
      expect(await outcome(world, type)).toEqual(["Unknown", "AwaitingReconciliation"]);
      // The ring is empty: one more failure is the first.
      await launch(world, "four", false);
      expect((await outcome(world, type))[0]).toBe("Unknown");
      await launch(world, "five", true);
      expect(await outcome(world, type)).toEqual(["True", type]);
      const spec = { template: { metadata: { labels: { team: "shop" } } } };
      world.server.patch("NodePool", { name: "default" }, { spec });
      expect(await outcome(world, type)).toEqual(["Unknown", "AwaitingReconciliation"]);
    },
  );
});

conforms(
  "validate | only bad capacity types; good; mixed; foreign; ok; fail (x6) | False; True; True; ignored; True; False",
  async () => {
    const world = pooledWorld();
    addForeignPool(world);
    const withValues = async (key: string, ...values: readonly string[]) => {
      const requirements = [{ key, operator: "In", values }];
      world.server.patch("NodePool", { name: "default" }, { spec: { template: { spec: { requirements } } } });
      return (await outcome(world, "ValidationSucceeded"))[0];
    };
    expect(await withValues(label.capacityType, "xspot", "free")).toBe("False");
    expect(await withValues(label.capacityType, "spot", "on-demand")).toBe("True");
    expect(await withValues(label.capacityType, "spot", "xspot")).toBe("True");
    expect(await conditionsOf(world, "theirs")).toEqual([]);
    expect(await withValues(label.instanceType, "m5.large")).toBe("True");
    expect(await withValues(label.nodePool, "other")).toBe("False");
    expect(await outcome(world, "ValidationSucceeded")).toEqual(["False", "NodePoolValidationFailed"]);
  },
);
