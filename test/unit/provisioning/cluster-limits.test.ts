import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import type { RankedOffering } from "../../../shared/cloud/ranking.ts";
import { claimOfferings } from "../../../shared/provisioning/claim-offerings.ts";
import { withinClusterLimits } from "../../../shared/provisioning/cluster-limits.ts";
import { defaultSettings, type Settings } from "../../../shared/state/settings.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { snapshotWith } from "../../support/snapshot.ts";

const now = Date.UTC(2026, 0, 1, 12);
const wanted = ["a", "b", "c"].map((name) => ({ name, offerings: [offering(0.1)] as const }));

describe("cluster limits", () => {
  it("let everything pass where none is set", () => {
    expect(allowed({})).toEqual(["a", "b", "c"]);
  });

  it("count the nodes that exist", () => {
    expect(allowed({ maxNodes: 3 }, [nodeClaim("old")])).toEqual(["a", "b"]);
  });

  it("count the price of what runs", () => {
    const labels = { [label.instanceType]: "m5.large", [label.capacityType]: "on-demand" };
    expect(allowed({ maxPriceUsdPerHour: 0.31 }, [nodeClaim("old", { labels })])).toEqual(["a", "b"]);
  });

  it("count what a claim will cost that is not launched yet, and nothing for one that is going", () => {
    const world = (claim: NodeClaim, maxPriceUsdPerHour: number) =>
      snapshotWith({ nodeClaims: [claim], settings: { maxPriceUsdPerHour } });
    const claim = nodeClaim("new");
    const [best] = claimOfferings(claim, world(claim, 1));
    const limit = (best?.priceUsdPerHour ?? 0) + 0.15;
    const names = (one: NodeClaim) => withinClusterLimits(wanted, world(one, limit)).allowed.map(({ name }) => name);
    expect(best?.priceUsdPerHour).toBeGreaterThan(0.05);
    expect(names(claim)).toEqual(["a"]);
    expect(names(nodeClaim("old", { deletedAt: "2026-01-01T00:00:00Z" })).length).toBeGreaterThan(1);
  });

  it("count the launches of the last ten minutes", () => {
    const young = nodeClaim("young", { createdAt: "2026-01-01T11:55:00Z" });
    const old = nodeClaim("old", { createdAt: "2026-01-01T11:00:00Z" });
    expect(allowed({ maxLaunchesPerTenMinutes: 3 }, [young, old])).toEqual(["a", "b"]);
  });

  it("say which limit, its value, and what the node would make it", () => {
    const { refused } = withinClusterLimits(wanted, snapshot({ maxNodes: 2 }, []));
    expect(refused.map(({ refusal }) => refusal.reason)).toEqual([
      "the cluster's limit maxNodes is 2, and this node would make it 3",
    ]);
  });
});

function allowed(settings: Partial<Settings>, claims: Snapshot["nodeClaims"] = []): readonly string[] {
  return withinClusterLimits(wanted, snapshot(settings, claims)).allowed.map(({ name }) => name);
}

function offering(priceUsdPerHour: number): RankedOffering {
  return { instanceType: "m5.large", zone: "us-east-1a", capacityType: "on-demand", priceUsdPerHour };
}

function snapshot(settings: Partial<Settings>, nodeClaims: Snapshot["nodeClaims"]): Snapshot {
  return {
    now,
    settings: { ...defaultSettings, ...settings },
    pods: [],
    nodes: [],
    nodeClaims,
    nodePools: [],
    nodeClasses: [],
    daemonSets: [],
    podDisruptionBudgets: [],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    csiNodes: [],
    capacityBuffers: [],
    namespaces: new Map(),
    catalog: {
      region: "us-east-1",
      zones: [],
      types: [],
      onDemandPrices: new Map([["m5.large", 0.1]]),
      spotPrices: new Map(),
      zonesByType: new Map(),
    },
    nodeOverlays: [],
    unavailableOfferings: [],
  };
}
