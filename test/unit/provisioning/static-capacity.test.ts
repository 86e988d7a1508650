import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { nodePool } from "../../support/node-pools.ts";
import { staticPlan, staticPool } from "../../support/static-pools.ts";

describe("huge static NodePools", () => {
  const endless = staticPool(10 ** 9);

  it("get so many nodes in one pass, and a word on the rest", () => {
    const { nodeClaims, shortfalls } = staticPlan({ pools: [endless] });
    expect(nodeClaims).toHaveLength(1_000);
    expect(shortfalls).toEqual([
      {
        nodePool: "fixed",
        nodes: 10 ** 9 - 1_000,
        reason: "one pass makes at most 1000 nodes of static NodePools; later ones make the rest",
      },
    ]);
  });

  it("do not keep the small ones waiting", () => {
    const { nodeClaims, shortfalls } = staticPlan({ pools: [endless, nodePool("small", { replicas: 3 })] });
    const small = nodeClaims.filter(({ labels }) => labels[label.nodePool] === "small");
    expect([small.length, nodeClaims.length]).toEqual([3, 1_000]);
    expect(shortfalls.map(({ nodePool }) => nodePool)).toEqual(["fixed"]);
  });
});
