import { describe, expect, it } from "vitest";
import type { PlacementScoreAnswer } from "../../shared/account-ports.ts";
import { label } from "../../shared/api/labels.ts";
import { refreshCatalog } from "../../shared/controllers/catalog.ts";
import { readPlacementScores } from "../../shared/controllers/placement-score-store.ts";
import { metric } from "../../shared/metrics.ts";
import { type CatalogWorld, catalogWorld } from "../support/memory-catalog.ts";
import { nodeClaim } from "../support/node-claims.ts";

const minute = 60;
const hour = 60 * minute;
const alternatives = ["m5.large", "m5.xlarge", "c7i-flex.large", "t3.micro"];

function addSpotClaims(
  world: CatalogWorld,
  pool: string,
  count: number,
  types: readonly string[] = alternatives,
): void {
  for (let index = 0; index < count; index++) {
    const claim = nodeClaim(`${pool}-${types.join("").length}-${index}`, { labels: { [label.nodePool]: pool } });
    const labels = {
      ...claim.metadata.labels,
      [label.capacityType]: "spot",
      [label.instanceType]: types[0] ?? "",
      [label.zone]: "us-east-1a",
    };
    const requirements = [{ key: label.instanceType, operator: "In" as const, values: [...types] }];
    world.server.create("NodeClaim", {
      ...claim,
      metadata: { ...claim.metadata, labels },
      spec: { ...claim.spec, requirements },
    });
  }
}

function scored(scores: Readonly<Record<string, number>>): () => PlacementScoreAnswer {
  return () => ({ kind: "scores", byZoneId: new Map(Object.entries(scores)) });
}

function storedScores(world: CatalogWorld): Readonly<Record<string, string>> {
  return world.server.get("ConfigMap", { name: "journeyman-placement-scores", namespace: "journeyman" })?.data ?? {};
}

describe("spot placement scores", () => {
  it("are asked for by what the pool's spot claims could become, sorted, for a power of two of nodes", async () => {
    const world = catalogWorld();
    addSpotClaims(world, "default", 3);
    await world.refresh();
    expect(world.region.scoreRequests).toEqual([{ instanceTypes: [...alternatives].sort(), targetCapacity: 4 }]);
  });

  it("come by zone id and are kept by the account's own name of the zone", async () => {
    const world = catalogWorld();
    addSpotClaims(world, "default", 1);
    world.region.zonesOfAccount = [
      { name: "us-east-1a", id: "use1-az4" },
      { name: "us-east-1b", id: "use1-az1" },
    ];
    world.region.scores = scored({ "use1-az4": 3, "use1-az1": 9, "use1-az2": 10 });
    await world.refresh();
    const [scores] = await readPlacementScores(world.ports, world.settings);
    expect(scores?.nodePool).toBe("default");
    expect(Object.fromEntries(scores?.byZone ?? [])).toEqual({ "us-east-1a": 3, "us-east-1b": 9 });
    expect(Object.keys(storedScores(world)).sort()).toEqual([expect.stringMatching(/^asked\./), "default_2vcpu"]);
  });

  it("are asked for anew each ten minutes, and hold for an hour at the most", async () => {
    const world = catalogWorld();
    addSpotClaims(world, "default", 1);
    world.region.scores = scored({ "use1-az6": 5 });
    await world.refresh();
    await world.advance(9 * minute);
    await world.refresh();
    expect(world.region.scoreRequests).toHaveLength(1);
    await world.advance(minute);
    await world.refresh();
    expect(world.region.scoreRequests).toHaveLength(2);
    world.region.failing.set("placementScores", "RequestLimitExceeded");
    await world.advance(59 * minute);
    await world.refresh();
    expect(await readPlacementScores(world.ports, world.settings)).toHaveLength(1);
    await world.advance(minute);
    expect(await readPlacementScores(world.ports, world.settings)).toEqual([]);
  });

  it("say nothing when the quota is used up: no signal, never no capacity", async () => {
    const world = catalogWorld();
    addSpotClaims(world, "default", 1);
    world.region.scores = () => ({ kind: "no-signal", code: "MaxConfigLimitExceeded", message: "You have exceeded" });
    await world.refresh();
    expect(await readPlacementScores(world.ports, world.settings)).toEqual([]);
    expect(world.telemetry.total(metric.scoresWithoutSignal)).toBe(1);
    expect(storedScores(world).default_2vcpu).toContain("MaxConfigLimitExceeded");
    await world.advance(59 * minute);
    await world.refresh();
    expect(world.region.scoreRequests).toHaveLength(1);
    world.region.scores = scored({ "use1-az6": 7 });
    await world.advance(minute);
    await world.refresh();
    expect(await readPlacementScores(world.ports, world.settings)).toHaveLength(1);
  });

  it("use no more new configurations in a day than the cluster's share, those that spend most first", async () => {
    const world = catalogWorld();
    const settings = { ...world.settings, placementScoresPerDay: 2 };
    addSpotClaims(world, "small", 1);
    addSpotClaims(world, "large", 8);
    addSpotClaims(world, "middle", 4);
    const targets = () => world.region.scoreRequests.splice(0).map(({ targetCapacity }) => targetCapacity);
    await refreshCatalog(world.ports, settings);
    expect(targets()).toEqual([8, 4]);
    await world.advance(23 * hour);
    await refreshCatalog(world.ports, settings);
    expect(targets()).toEqual([8, 4]);
    await world.advance(hour);
    addSpotClaims(world, "large", 9, ["m5.xlarge", "m5.large", "t3.micro"]);
    await refreshCatalog(world.ports, settings);
    expect(targets()).toEqual([16]);
  });

  it("count a question before it is asked, so that a crash never asks for one too many", async () => {
    const world = catalogWorld();
    const settings = { ...world.settings, placementScoresPerDay: 1 };
    addSpotClaims(world, "default", 1);
    const crash = new Error("the process ended");
    world.region.scores = () => {
      throw crash;
    };
    await expect(refreshCatalog(world.ports, settings)).rejects.toBe(crash);
    world.region.scores = scored({ "use1-az6": 7 });
    addSpotClaims(world, "other", 2);
    world.region.scoreRequests.length = 0;
    await refreshCatalog(world.ports, settings);
    expect(world.region.scoreRequests.map(({ targetCapacity }) => targetCapacity)).toEqual([1]);
  });

  it("are not asked for where fewer than three types come into question, or the share is nought", async () => {
    const world = catalogWorld();
    addSpotClaims(world, "default", 1, ["m5.large", "m5.xlarge"]);
    await world.refresh();
    addSpotClaims(world, "default", 1);
    await refreshCatalog(world.ports, { ...world.settings, placementScoresPerDay: 0 });
    expect(world.region.scoreRequests).toEqual([]);
  });
});
