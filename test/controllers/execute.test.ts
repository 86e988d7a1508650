import { describe, expect, it } from "vitest";
import type { Action } from "../../shared/actions.ts";
import type { ConfigMap } from "../../shared/api/core.ts";
import { execute, requireDone } from "../../shared/controllers/execute.ts";
import { addPod, addRunningNode, controllerWorld } from "../support/controller-world.ts";

const settings: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "journeyman" } };
const create: Action = { kind: "create", object: settings, why: "test" };
const patchMissing: Action = {
  kind: "patch",
  objectKind: "ConfigMap",
  reference: { name: "missing", namespace: "journeyman" },
  patch: { data: { a: "b" } },
  why: "test",
};
const hint: Action = { kind: "send-hint", hint: { kind: "lifecycle-sweep", at: 0 }, delaySeconds: 5, why: "test" };

function terminate(...instanceIds: readonly string[]): Action {
  return { kind: "terminate-instances", instanceIds, why: "test" };
}

async function resultsOf(world: ReturnType<typeof controllerWorld>, ...actions: readonly Action[]) {
  return (await execute(world.ports, actions)).map(({ result }) => result);
}

describe("execute", () => {
  it("reports an object that exists as already there, and hands it out", async () => {
    const world = controllerWorld();
    expect(await resultsOf(world, create)).toEqual(["done"]);
    const [again] = await execute(world.ports, [create]);
    expect(again).toMatchObject({ result: "already", object: { metadata: { name: "c" } } });
  });

  it("stops at the first failure, unless the actions are independent", async () => {
    const world = controllerWorld();
    expect(await resultsOf(world, patchMissing, hint)).toEqual(["failed", "skipped"]);
    expect(world.sent).toEqual([]);
    const outcomes = await execute(world.ports, [patchMissing, hint], { continueOnError: true });
    expect(outcomes.map(({ result }) => result)).toEqual(["failed", "done"]);
    expect(() => requireDone(outcomes)).toThrow("missing");
  });

  it("does nothing irreversible when the invocation is about to end", async () => {
    const world = controllerWorld();
    world.ec2.add({ instanceId: "i-1" });
    world.invocation.remainingMilliseconds = 2_999;
    expect(await resultsOf(world, create, terminate("i-1"))).toEqual(["done", "skipped"]);
    expect(world.ec2.terminated).toEqual([]);
  });

  it("takes a deletion or eviction of an object that is gone, or has become another, as done already", async () => {
    const world = controllerWorld();
    addRunningNode(world, "one");
    addPod(world, "app", "one");
    const reference = { name: "app", namespace: "default" };
    const gone = { name: "gone", namespace: "default" };
    const evictions: readonly Action[] = [
      { kind: "evict", reference: gone, uid: "u", why: "test" },
      { kind: "evict", reference, uid: "another", why: "test" },
      { kind: "delete", objectKind: "Pod", reference, uid: "another", why: "test" },
    ];
    expect(await resultsOf(world, ...evictions)).toEqual(["already", "already", "already"]);
    expect(world.pod("app")?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("terminates the instances that exist when one of them is unknown, and says that one was", async () => {
    const world = controllerWorld();
    world.ec2.add({ instanceId: "i-1" });
    expect(await resultsOf(world, terminate("i-unknown", "i-1"), terminate("i-unknown"))).toEqual([
      "already",
      "already",
    ]);
    expect(world.ec2.terminated).toEqual(["i-1"]);
  });

  it("lets a bug crash", async () => {
    const bug = new TypeError("bug");
    const world = controllerWorld({
      beforeCall: () => {
        throw bug;
      },
    });
    await expect(execute(world.ports, [create], { continueOnError: true })).rejects.toBe(bug);
  });
});
