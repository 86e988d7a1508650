import { describe, expect, it } from "vitest";
import type { Budget } from "../../../shared/api/node-pool.ts";
import { poolBudgets } from "../../../shared/simulator/invariants/pool-budgets.ts";
import { addRunningNode } from "../../support/controller-world.ts";
import { addPool, as, expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

/** Five nodes at noon on a Monday. */
function fiveNodes(...budgets: readonly Budget[]) {
  return fiveNodesOf(undefined, ...budgets);
}

/** The same of a static pool that is to have so many. */
function fiveNodesOf(replicas: number | undefined, ...budgets: readonly Budget[]) {
  const { cluster, world } = observedWorld();
  const invariant = poolBudgets(world);
  addPool(cluster, { budgets: [...budgets], ...(replicas !== undefined && { replicas }) });
  const names = ["one", "two", "three", "four", "five"];
  for (const name of names) addRunningNode(cluster, name);
  /** The bug: as many at once as it likes. */
  const disrupt = (count: number, user = "disruption") => {
    for (const name of names.slice(0, count)) cluster.server.delete("NodeClaim", { name }, as(user));
  };
  return { cluster, invariant, disrupt };
}

describe("disruption budgets hold", () => {
  it("when as many nodes go as the budget's share, rounded up", () => {
    const { invariant, disrupt } = fiveNodes({ nodes: "30%" });
    disrupt(2);
    expect(findingOf(invariant)).toBe("holds");
  });

  it("is broken by one node more", () => {
    const { invariant, disrupt } = fiveNodes({ nodes: "30%" });
    disrupt(3);
    expectBroken(findingOf(invariant), "3 of its claims", "one, three, two", "budget 30% of 5 nodes");
  });

  it("has no say in how many nodes a static NodePool is to have", () => {
    const { invariant, disrupt } = fiveNodesOf(3, { nodes: "0" });
    disrupt(2);
    expect(findingOf(invariant)).toBe("holds");
    disrupt(3);
    expectBroken(findingOf(invariant), "1 of its claims", "budget 0 of 5 nodes");
  });

  it("goes by the tightest budget that is about the reason", () => {
    const { cluster, invariant, disrupt } = fiveNodes(
      { nodes: "3" },
      { nodes: "1", reasons: ["Empty"] },
      { nodes: "0", reasons: ["Drifted"] },
    );
    const conditions = [
      { type: "Initialized", status: "True" },
      { type: "DisruptionReason", status: "True", reason: "Empty" },
    ];
    for (const name of ["one", "two"]) {
      cluster.server.patch("NodeClaim", { name }, { status: { conditions } }, { subresource: "status" });
    }
    disrupt(1);
    expect(findingOf(invariant)).toBe("holds");
    disrupt(2);
    expectBroken(findingOf(invariant), "2 of its claims", "budget 1 of 5 nodes");
  });

  it("counts a budget only while its schedule's window is open", () => {
    const night = fiveNodes({ nodes: "0", schedule: "0 22 * * *", duration: "8h" });
    night.disrupt(5);
    expect(findingOf(night.invariant)).toBe("holds");
    const office = fiveNodes({ nodes: "0", schedule: "0 9 * * mon-fri", duration: "8h" });
    office.disrupt(1);
    expectBroken(findingOf(office.invariant), "budget 0 of 5 nodes");
  });

  it("is about voluntary disruption alone", () => {
    const { invariant, disrupt } = fiveNodes({ nodes: "0" });
    disrupt(5, "interruption");
    expect(findingOf(invariant)).toBe("holds");
  });
});
