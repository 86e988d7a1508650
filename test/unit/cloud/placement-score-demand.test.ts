import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { formatTime } from "../../../shared/api/time.ts";
import { scoreDemands } from "../../../shared/cloud/placement-score-demand.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodeClaim } from "../../support/node-claims.ts";

const now = 1_000 * 86_400_000;
const names = Array.from({ length: 20 }, (_, index) => `f${String(index).padStart(2, "0")}.xlarge`);
const catalog = catalogOf(
  Object.fromEntries(
    [...names, "big.8xlarge"].map((name, index) => [
      name,
      { vcpus: name === "big.8xlarge" ? 32 : 4, memoryGib: 16, priceUsdPerHour: 1, spot: { a: 0.5 - 0.01 * index } },
    ]),
  ),
);

function claim(name: string, types: readonly string[], changes: { capacityType?: string; ageHours?: number } = {}) {
  const { capacityType = "spot", ageHours = 1 } = changes;
  const labels = { [label.capacityType]: capacityType, [label.instanceType]: types[0] ?? "", [label.zone]: "a" };
  const claimed = nodeClaim(name, { labels, createdAt: formatTime(now - ageHours * 3_600_000) });
  const requirements = [{ key: label.instanceType, operator: "In" as const, values: [...types] }];
  return { ...claimed, spec: { ...claimed.spec, requirements } };
}

describe("scoreDemands", () => {
  it("takes the fifteen types that are alternatives most often, the cheaper of equals, in order of their names", () => {
    const claims = [claim("a", names), claim("b", names.slice(0, 8)), claim("c", names.slice(0, 8))];
    const [demand] = scoreDemands(claims, catalog, now);
    expect(demand?.instanceTypes).toEqual([...names.slice(0, 8), ...names.slice(13)].sort());
  });

  it("counts nodes by size class, to the next power of two, and what they cost", () => {
    const claims = ["a", "b", "c"].map((name) => claim(name, names.slice(0, 3)));
    const demands = scoreDemands([...claims, claim("d", ["big.8xlarge", ...names.slice(0, 2)])], catalog, now);
    expect(demands.map(({ vcpus, targetCapacity }) => [vcpus, targetCapacity])).toEqual([
      [4, 4],
      [32, 1],
    ]);
    expect(demands[0]?.priceUsdPerHour).toBeCloseTo(1.5);
  });

  it("looks at the spot nodes of the last day alone", () => {
    const claims = [
      claim("a", names, { capacityType: "on-demand" }),
      claim("b", names, { ageHours: 24 }),
      nodeClaim("c", { createdAt: formatTime(now) }),
    ];
    expect(scoreDemands(claims, catalog, now)).toEqual([]);
  });
});
