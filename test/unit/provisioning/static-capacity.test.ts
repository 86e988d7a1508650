import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
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

describe("a static NodePool's share of on-demand nodes", () => {
  const catalog = catalogOf({ "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1, spot: { a: 0.03 } } });

  function capacityTypes(
    annotations: Readonly<Record<string, string>>,
    nodeClaims: ReturnType<typeof nodeClaim>[] = [],
  ) {
    const pool = staticPool(4, { requirements: [oneOf(label.capacityType, "spot", "on-demand")] });
    const pools = [{ ...pool, metadata: { ...pool.metadata, annotations } }];
    return staticPlan({ pools, catalog, nodeClaims }).nodeClaims.map(({ offerings, requirements, reason }) => {
      const isLimited = requirements.get(label.capacityType)?.values.has("spot") === false;
      expect(isLimited).toBe(reason.includes("share of on-demand"));
      expect(isLimited).toBe(offerings.every(({ capacityType }) => capacityType === "on-demand"));
      return offerings[0].capacityType;
    });
  }

  it("is none unless it is asked for", () => {
    expect(capacityTypes({})).toEqual(["spot", "spot", "spot", "spot"]);
  });

  it("is the first so many, and a percentage of the rest", () => {
    const share = { "journeyman.sh/on-demand-base": "1", "journeyman.sh/on-demand-percentage": "30" };
    expect(capacityTypes(share).sort()).toEqual(["on-demand", "on-demand", "spot", "spot"]);
  });

  it("counts the nodes that there are", () => {
    const labels = { [label.nodePool]: "fixed", [label.capacityType]: "on-demand" };
    const there = nodeClaim("there", { labels, status: { providerID: "aws:///a/i-there" } });
    expect(capacityTypes({ "journeyman.sh/on-demand-base": "1" }, [there])).not.toContain("on-demand");
  });
});
