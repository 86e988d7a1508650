import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { readWorld } from "../../../shared/controllers/read-snapshot.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { catalogWorld } from "../../support/memory-catalog.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { pendingPod } from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const types = ["m5.large", "m5.xlarge", "t3.micro"];

conforms("B3.23 SPS returns AZ IDs (use1-az4), subnets have names -> map per account. [K; AWS docs]", async () => {
  const world = catalogWorld();
  const claim = nodeClaim("spot");
  const labels = { ...claim.metadata.labels, [label.capacityType]: "spot", [label.instanceType]: "m5.large" };
  const requirements = [{ key: label.instanceType, operator: "In" as const, values: types }];
  world.server.create("NodeClaim", {
    ...claim,
    metadata: { ...claim.metadata, labels },
    spec: { ...claim.spec, requirements },
  });
  world.region.zonesOfAccount = [
    { name: "us-east-1a", id: "use1-az4" },
    { name: "us-east-1b", id: "use1-az1" },
  ];
  world.region.scores = () => ({
    kind: "scores",
    byZoneId: new Map([
      ["use1-az1", 9],
      ["use1-az4", 2],
      ["use1-az6", 10],
    ]),
  });
  await world.refresh();
  const { snapshot } = await readWorld(world.ports, world.settings);
  expect(snapshot.placementScores?.map(({ byZone }) => Object.fromEntries(byZone))).toEqual([
    { "us-east-1a": 2, "us-east-1b": 9 },
  ]);
});

conforms(
  "B3.24 All preferred types score 1-2 and OD allowed -> still picks price-lowest spot, dies in minutes -> weight price by score and recent reclaim. [KA#6425, KA#8298]",
  () => {
    const spot = { a: 0.3, b: 0.31 };
    const catalog = catalogOf({ "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.35, spot } });
    const pools = [nodePool("default", { requirements: [oneOf(label.capacityType, "spot", "on-demand")] })];
    const world = { catalog, pools, pods: [pendingPod("web", { cpu: "1500m" })] };
    const chosen = (history: Parameters<typeof planFor>[0]) => {
      const [claim] = planFor({ ...world, ...history }).nodeClaims;
      return `${claim?.offerings[0].capacityType} in ${claim?.offerings[0].zone}`;
    };
    const scores = (a: number, b: number) => [
      { nodePool: "default", instanceTypes: ["m5.large"], byZone: new Map(Object.entries({ a, b })) },
    ];
    expect(chosen({})).toBe("spot in a");
    expect(chosen({ placementScores: scores(1, 9) })).toBe("spot in b");
    const reclaims = (a: number, b: number) =>
      new Map([
        ["m5.large/a/spot", a],
        ["m5.large/b/spot", b],
      ] as const);
    expect(chosen({ reclaimsPerHour: reclaims(0.5, 0) })).toBe("spot in b");
    expect(chosen({ placementScores: scores(1, 2), reclaimsPerHour: reclaims(0.5, 0.5) })).toBe("on-demand in b");
  },
);
