import { describe, expect, it } from "vitest";
import { noDeliveryFaults } from "../../../shared/simulator/delivery.ts";
import { Schedule } from "../../../shared/simulator/schedule.ts";
import { startAt, virtualTime } from "../../support/simulated-aws.ts";

function everyMinute(name = "sweep") {
  const time = virtualTime();
  const ticks: { at: number; scheduledTime: string }[] = [];
  const target = (scheduledTime: string) => void ticks.push({ at: time.loop.now(), scheduledTime });
  const schedule = new Schedule({ name, rateMinutes: 1, target }, time.loop, time.random);
  return { ...time, schedule, ticks };
}

describe("Schedule", () => {
  it("fires once for each minute, within that minute, and says which minute it was", async () => {
    const { ticks, advance } = everyMinute();
    await advance(179_999);
    expect(ticks.map(({ scheduledTime }) => scheduledTime)).toEqual([
      "2026-11-30T12:00:00Z",
      "2026-11-30T12:01:00Z",
      "2026-11-30T12:02:00Z",
    ]);
    ticks.forEach(({ at }, minute) => {
      expect(at - startAt - minute * 60_000).toBeGreaterThanOrEqual(0);
      expect(at - startAt - minute * 60_000).toBeLessThanOrEqual(60_000);
    });
  });

  it("has its own phase for each name", async () => {
    const [first, second] = [everyMinute("a"), everyMinute("b")];
    await first.advance(60_000);
    await second.advance(60_000);
    expect(first.ticks[0]?.at).not.toBe(second.ticks[0]?.at);
  });

  it("fires no more when stopped, and loses ticks when told to", async () => {
    const { schedule, ticks, advance } = everyMinute();
    await advance(60_000);
    const before = ticks.length;
    schedule.faults = { ...noDeliveryFaults, loseChance: 1 };
    await advance(120_000);
    schedule.stop();
    await advance(600_000);
    expect(ticks.length - before).toBeLessThanOrEqual(1);
  });

  it("refuses a rate below a minute", () => {
    const { loop, random } = virtualTime();
    expect(() => new Schedule({ name: "fast", rateMinutes: 0.5, target: () => {} }, loop, random)).toThrow("0.5");
  });
});
