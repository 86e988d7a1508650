import { describe, expect, it } from "vitest";
import {
  type AskedConfiguration,
  configurationOf,
  planScores,
  type ScoreDemand,
  type ScoreSet,
} from "../../../shared/cloud/placement-score-sets.ts";

const hour = 3_600_000;
const now = 100 * hour;

function demand(nodePool: string, priceUsdPerHour = 1, types = [nodePool, "b", "c"]): ScoreDemand {
  return { nodePool, vcpus: 4, instanceTypes: types, targetCapacity: 2, priceUsdPerHour };
}

function setOf(wanted: ScoreDemand, chosenAt: number, triedAt = now): ScoreSet {
  const { priceUsdPerHour: _, ...set } = wanted;
  return { ...set, chosenAt, triedAt };
}

function question(wanted: ScoreDemand, firstAt: number, lastAt: number): AskedConfiguration {
  return { configuration: configurationOf(wanted), firstAt, lastAt };
}

describe("planScores", () => {
  it("keeps a set for a day, whatever the pool chooses among by then", () => {
    const before = demand("a");
    const sets = [setOf(before, now - 23 * hour)];
    const asked = [question(before, now - 23 * hour, now)];
    const plan = planScores([demand("a", 1, ["x", "y", "z"])], { sets, asked }, { perDay: 3, now });
    expect(plan).toEqual({ sets, due: [], dropped: [] });
  });

  it("chooses anew after a day, and asks at once", () => {
    const before = demand("a");
    const sets = [setOf(before, now - 24 * hour)];
    const asked = [question(before, now - 24 * hour, now)];
    const plan = planScores([demand("a", 1, ["x", "y", "z"])], { sets, asked }, { perDay: 1, now });
    expect(plan.due).toMatchObject([{ instanceTypes: ["x", "y", "z"], chosenAt: now }]);
  });

  it("goes on with the old set where the quota has no room for the new one", () => {
    const before = demand("a");
    const sets = [setOf(before, now - 24 * hour)];
    const asked = [question(before, now - 24 * hour, now), question(demand("b"), now - hour, now)];
    const plan = planScores([demand("a", 1, ["x", "y", "z"])], { sets, asked }, { perDay: 1, now });
    expect(plan).toMatchObject({ sets, due: [], dropped: [] });
  });

  it("may always ask again for what it asked for within the day, and not for what EC2 has forgotten", () => {
    const used = [question(demand("other"), now - hour, now)];
    const known = { sets: [], asked: [...used, question(demand("a"), now - 90 * hour, now - 23 * hour)] };
    expect(planScores([demand("a")], known, { perDay: 1, now }).due).toHaveLength(1);
    const forgotten = { sets: [], asked: [...used, question(demand("a"), now - 90 * hour, now - 24 * hour)] };
    expect(planScores([demand("a")], forgotten, { perDay: 1, now }).due).toEqual([]);
  });

  it("counts two pools with the same types and target as one configuration", () => {
    const types = ["x", "y", "z"];
    const plan = planScores(
      [demand("a", 1, types), demand("b", 1, types)],
      { sets: [], asked: [] },
      { perDay: 1, now },
    );
    expect(plan.due.map(({ nodePool }) => nodePool)).toEqual(["a", "b"]);
  });

  it("drops a set that nobody has needed for a day", () => {
    const sets = [setOf(demand("a"), now - 24 * hour)];
    const plan = planScores([], { sets, asked: [question(demand("a"), 0, now)] }, { perDay: 1, now });
    expect(plan).toEqual({ sets: [], due: [], dropped: sets });
  });
});
