import { describe, expect, it } from "vitest";
import { launchAlike, launchSingly } from "../../bench/launch-world.ts";

describe("200 equal nodes", () => {
  it("take five RunInstances calls at most, where one call for each would take a minute and a half", async () => {
    const grouped = await launchAlike(200, "on-demand", 1);
    const single = await launchSingly(200, 1);
    expect(grouped).toMatchObject({ nodes: 200, calls: 4 });
    expect(grouped.seconds).toBeLessThan(15);
    expect(single.seconds).toBeGreaterThan(90);
  });

  it("take twelve at most where they are spread over spot pools", async () => {
    const grouped = await launchAlike(200, "spot", 1);
    expect(grouped.pools).toBeGreaterThan(1);
    expect(grouped.calls).toBeLessThanOrEqual(12);
    expect(grouped.seconds).toBeLessThan(20);
  });
});
