import { describe, expect, it } from "vitest";
import { arrivals, launchFor } from "../../bench/batching-world.ts";
import { ownSuite, readSuite } from "../../bench/suite.ts";
import { pendingPods } from "../../bench/workloads.ts";
import { casesOf, worldOf } from "../../bench/world.ts";

const suite = readSuite(ownSuite);

async function launched(workload: string, market: string, arrival: keyof typeof arrivals) {
  const one = casesOf({ ...suite, sizes: [500] }).find(
    (each) => each.workload.name === workload && each.market === market,
  );
  if (one === undefined) throw new Error(`the suite has no workload ${workload} on ${market}`);
  const pods = pendingPods(one.workload, one.pods, suite.seed);
  return launchFor(worldOf(suite, one), pods, { seed: 1, arrivals: arrivals[arrival] });
}

describe("500 pods that arrive over 30 s", () => {
  it.each([
    ["web", "on-demand", "evenly"],
    ["mixed", "spot", "in bursts"],
  ] as const)("cost at most 1.05 times what they cost at once: %s, %s, %s", async (workload, market, arrival) => {
    const atOnce = await launched(workload, market, "at once");
    const over = await launched(workload, market, arrival);
    expect([atOnce.unbound, over.unbound]).toEqual([0, 0]);
    // The planner waits no longer than 10 s for more pods.
    expect(over.passes).toBeGreaterThanOrEqual(3);
    expect(over.priceUsdPerHour).toBeLessThanOrEqual(1.05 * atOnce.priceUsdPerHour);
  });
});
