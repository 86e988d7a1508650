import { describe, expect, it } from "vitest";
import { poolLimits } from "../../../shared/simulator/invariants/pool-limits.ts";
import { addRunningNode, nodeNameOf } from "../../support/controller-world.ts";
import { addPool, expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

function limitedTo(limits: Record<string, string>) {
  const { cluster, world } = observedWorld();
  const invariant = poolLimits(world);
  addPool(cluster, { limits });
  const launch = (...names: readonly string[]) => {
    for (const name of names) addRunningNode(cluster, name, { status: { capacity: { cpu: "2", memory: "8Gi" } } });
  };
  return { cluster, invariant, launch };
}

describe("NodePool limits hold", () => {
  it("up to the limit, to the last core", () => {
    const { invariant, launch } = limitedTo({ cpu: "4" });
    launch("one", "two");
    expect(findingOf(invariant)).toBe("holds");
  });

  it.each([
    [{ cpu: "3" }, "4 cpu", "up to 3"],
    [{ memory: "15Gi" }, "16Gi memory", "up to 15Gi"],
    [{ nodes: "1" }, "2 nodes", "up to 1"],
  ])("is broken by a launch beyond %o", (limits, seen, allowed) => {
    const { invariant, launch } = limitedTo(limits);
    launch("one", "two");
    expectBroken(findingOf(invariant), "NodePool default", seen, allowed);
  });

  it("does not count nodes that are leaving", () => {
    const { cluster, invariant, launch } = limitedTo({ cpu: "2" });
    launch("one");
    const taints = [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }];
    cluster.server.patch("Node", { name: nodeNameOf("one") }, { spec: { taints } });
    launch("two");
    expect(findingOf(invariant)).toBe("holds");
  });

  it("is not broken by a limit that is lowered, but by what is launched after it", () => {
    const { cluster, invariant, launch } = limitedTo({ cpu: "4" });
    launch("one", "two");
    expect(findingOf(invariant)).toBe("holds");
    cluster.server.patch("NodePool", { name: "default" }, { spec: { limits: { cpu: "1" } } });
    expect(findingOf(invariant)).toBe("holds");
    launch("three");
    expectBroken(findingOf(invariant), "6 cpu");
  });
});
