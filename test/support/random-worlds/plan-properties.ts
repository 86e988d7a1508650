import fc from "fast-check";
import { expect } from "vitest";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import { snapshotWith, type World } from "../snapshot.ts";

/**
 * Plans random worlds. Each plan passes the checker on its way out (test/support/plan-checker), and the same world with its lists in
 * another order must give the same plan. A failure is shrunk and says how to see that world again: `WORLDS_SEED` and `WORLDS_PATH`.
 */
export function expectGoodPlans(worlds: fc.Arbitrary<World>, numRuns: number): void {
  const property = fc.property(worlds, fc.integer(), (world, order) => {
    const snapshot = snapshotWith(world);
    const plan = planProvisioning(snapshot);
    expect(planProvisioning(shuffled(snapshot, order))).toEqual(plan);
  });
  const { WORLDS_SEED: seed, WORLDS_PATH: path, WORLDS_RUNS: runs } = process.env;
  const result = fc.check(property, {
    numRuns: runs === undefined ? numRuns : Number(runs),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path }),
  });
  if (!result.failed) return;
  const replay = `to see it again: WORLDS_SEED=${result.seed} WORLDS_PATH=${result.counterexamplePath}`;
  throw new Error(`${replay}\n${fc.defaultReportMessage(result)}`, { cause: result.errorInstance });
}

function shuffled(snapshot: Snapshot, order: number): Snapshot {
  const shuffle = <T>(list: readonly T[]): T[] =>
    list
      .map((value, index) => ({ value, rank: Math.imul(index + 1, order | 1) ^ (order >>> 3) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ value }) => value);
  return {
    ...snapshot,
    pods: shuffle(snapshot.pods),
    nodes: shuffle(snapshot.nodes),
    nodeClaims: shuffle(snapshot.nodeClaims),
    nodePools: shuffle(snapshot.nodePools),
    daemonSets: shuffle(snapshot.daemonSets),
    persistentVolumeClaims: shuffle(snapshot.persistentVolumeClaims),
    persistentVolumes: shuffle(snapshot.persistentVolumes),
    storageClasses: shuffle(snapshot.storageClasses),
    csiNodes: shuffle(snapshot.csiNodes),
    unavailableOfferings: shuffle(snapshot.unavailableOfferings),
    catalog: { ...snapshot.catalog, types: shuffle(snapshot.catalog.types) },
  };
}
