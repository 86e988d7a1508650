import { describe, expect, it } from "vitest";
import { singleInstance } from "../../../shared/simulator/invariants/single-instance.ts";
import { addClaim } from "../../support/controller-world.ts";
import { expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

describe("one live instance per NodeClaim", () => {
  it("holds while a claim's earlier instance has ended", () => {
    const { cluster, world } = observedWorld();
    addClaim(cluster, "one");
    cluster.ec2.add({ instanceId: "i-0", state: "shutting-down", tags: { "karpenter.sh/nodeclaim": "one" } });
    expect(findingOf(singleInstance(world))).toBe("holds");
  });

  it("is broken by a second launch for the same claim", () => {
    const { cluster, world } = observedWorld();
    addClaim(cluster, "one");
    cluster.ec2.add({ instanceId: "i-0", state: "pending", tags: { "karpenter.sh/nodeclaim": "one" } });
    expectBroken(findingOf(singleInstance(world)), "NodeClaim one", "instances i-one and i-0 are both live");
  });

  it("is broken by two claims that are given one instance", () => {
    const { cluster, world } = observedWorld();
    addClaim(cluster, "one");
    addClaim(cluster, "two", { status: { providerID: "aws:///us-east-1a/i-one" } });
    expectBroken(findingOf(singleInstance(world)), "NodeClaims one and two", "both have instance i-one");
  });
});
