import { describe, expect, it } from "vitest";
import { forbiddenCalls } from "../support/forbidden-calls.ts";
import { runInTwoPhases } from "../support/reliability-run.ts";
import { objects, steps } from "../support/reliability-scenario.ts";

/** JOURNEYMAN_SEED runs that seed alone, JOURNEYMAN_SEEDS so many from 1 on. */
const { JOURNEYMAN_SEED, JOURNEYMAN_SEEDS = "3" } = process.env;
const seeds =
  JOURNEYMAN_SEED === undefined
    ? Array.from({ length: Number(JOURNEYMAN_SEEDS) }, (_, index) => index + 1)
    : [Number(JOURNEYMAN_SEED)];
const phases = { objects, steps, faultMinutes: 13, calmMinutes: 12 };

describe("the whole stack", () => {
  it("keeps every promise when nothing goes wrong", async () => {
    const { broken, world } = await runInTwoPhases({ ...phases, seed: 1, intensity: 0, calmMinutes: 5 });
    expect(broken).toEqual([]);
    expect(world.cluster.server.admission.failures).toBe(0);
    expect(forbiddenCalls(world)).toEqual([]);
  });

  it.each(seeds)("does no harm among faults, and recovers from them (seed %i)", async (seed) => {
    const { broken, world } = await runInTwoPhases({ ...phases, seed });
    expect(broken, `JOURNEYMAN_SEED=${seed}`).toEqual([]);
    expect(forbiddenCalls(world), `JOURNEYMAN_SEED=${seed}`).toEqual([]);
  });

  it.each(seeds.slice(0, 2))("does so when calls fail and crash three times as often (seed %i)", async (seed) => {
    const { broken } = await runInTwoPhases({ ...phases, seed, intensity: 3 });
    expect(broken, `JOURNEYMAN_SEED=${seed}`).toEqual([]);
  });

  it.each(seeds.slice(0, 2))("does so without its webhook, by the sweep alone (seed %i)", async (seed) => {
    const { broken } = await runInTwoPhases({ ...phases, seed, withoutWebhook: true });
    expect(broken, `JOURNEYMAN_SEED=${seed}`).toEqual([]);
  });

  it("has the same history whenever it runs with the same seed", async () => {
    const short = { ...phases, seed: 1, faultMinutes: 5, calmMinutes: 0 };
    const [first, second] = [await runInTwoPhases(short), await runInTwoPhases(short)];
    expect(second.world.telemetry.lines).toEqual(first.world.telemetry.lines);
  });
});
