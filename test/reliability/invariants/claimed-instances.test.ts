import { describe, expect, it } from "vitest";
import { claimedInstances } from "../../../shared/simulator/invariants/claimed-instances.ts";
import { addClaim } from "../../support/controller-world.ts";
import { expectBroken, finalFindingOf, findingOf, observedWorld } from "../../support/observed-world.ts";

function withLeakedInstance() {
  const { cluster, world } = observedWorld();
  addClaim(cluster, "one");
  cluster.ec2.add({ instanceId: "i-0", launchedAt: cluster.now(), tags: { "karpenter.sh/nodeclaim": "gone" } });
  return { cluster, invariant: claimedInstances(world) };
}

describe("every instance is claimed or collected", () => {
  it("holds while collection has time", async () => {
    const { cluster, invariant } = withLeakedInstance();
    await cluster.advance(600);
    expect(findingOf(invariant)).toBe("holds");
  });

  it("is broken when nobody collects an instance", async () => {
    const { cluster, invariant } = withLeakedInstance();
    await cluster.advance(601);
    expectBroken(findingOf(invariant), "instance i-0", "live for 601 s");
  });

  it("gives less time at the end", async () => {
    const { cluster, invariant } = withLeakedInstance();
    await cluster.advance(121);
    expect(findingOf(invariant)).toBe("holds");
    expectBroken(finalFindingOf(invariant), "instance i-0", "2 minutes");
  });

  it("takes the tag for a claim whose status names no instance yet", async () => {
    const { cluster, world } = observedWorld();
    addClaim(cluster, "one", { status: { providerID: "" } });
    cluster.ec2.instances.clear();
    cluster.ec2.add({ instanceId: "i-0", launchedAt: cluster.now(), tags: { "karpenter.sh/nodeclaim": "one" } });
    await cluster.advance(601);
    cluster.server.patch("NodeClaim", { name: "one" }, { status: { providerID: null } }, { subresource: "status" });
    expect(findingOf(claimedInstances(world))).toBe("holds");
  });
});
