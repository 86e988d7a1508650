import { describe, expect, it } from "vitest";
import { fiveFamilies } from "../../../bench/five-families.ts";
import { planningPools } from "../../../shared/provisioning/node-options.ts";

describe("the mix of Karpenter's scheduling benchmark", () => {
  it("has five equal families, and the rest without constraints", () => {
    const { pods } = fiveFamilies(23);
    const kinds = pods.map(({ constraints: { topologySpread, podAffinity, podAntiAffinity } }) => {
      const [spread, affinity, antiAffinity] = [topologySpread[0], podAffinity[0], podAntiAffinity[0]];
      if (spread !== undefined) return `spread over ${spread.topologyKey}`;
      if (affinity !== undefined) return `affinity over ${affinity.topologyKey}`;
      return antiAffinity === undefined ? "generic" : `anti-affinity over ${antiAffinity.topologyKey}`;
    });
    expect(Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, of]) => [kind, of.length]))).toEqual({
      generic: 7,
      "spread over topology.kubernetes.io/zone": 4,
      "spread over kubernetes.io/hostname": 4,
      "affinity over topology.kubernetes.io/zone": 4,
      "anti-affinity over kubernetes.io/hostname": 4,
    });
  });

  it("attracts affine pods to their own kind, and keeps all anti-affine pods apart", () => {
    for (const { constraints } of fiveFamilies(50).pods) {
      for (const { labelSelector } of [...constraints.podAffinity, ...constraints.podAntiAffinity]) {
        expect(labelSelector?.matchLabels).toEqual(constraints.labels);
      }
    }
  });

  it("has 400 types whose price is linear in their size, in five offerings each", () => {
    const [pool] = planningPools(fiveFamilies(1)).pools;
    const types = [...new Set(pool?.options.map(({ instanceType }) => instanceType))];
    expect(types).toHaveLength(400);
    for (const { capacity, allocatable, offerings } of types) {
      const { cpu = 0, memory = 0, pods = 0 } = capacity;
      expect({ memory, pods }).toEqual({ memory: 2 * (cpu / 1000) * 1024 ** 3, pods: 10 * (cpu / 1000) });
      expect(allocatable).toMatchObject({ cpu: cpu - 100, memory: memory - 10 * 1024 ** 2 });
      expect(offerings.map(({ zone, capacityType }) => `${capacityType} in ${zone}`).sort()).toEqual([
        "on-demand in test-zone-1",
        "on-demand in test-zone-2",
        "on-demand in test-zone-3",
        "spot in test-zone-1",
        "spot in test-zone-2",
      ]);
      for (const { priceUsdPerHour, available } of offerings) {
        expect(available).toBe(true);
        expect(priceUsdPerHour).toBeCloseTo(0.1 * (cpu / 1000) + (0.1 * memory) / 1e9, 9);
      }
    }
  });

  it("is the same for the same seed and another for another", () => {
    const sizes = (seed: number) => fiveFamilies(20, seed).pods.map(({ constraints }) => constraints.requests);
    expect(sizes(1)).toEqual(sizes(1));
    expect(sizes(1)).not.toEqual(sizes(2));
  });
});
