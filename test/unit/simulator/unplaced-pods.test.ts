import { describe, expect, it } from "vitest";
import { RecordingTelemetry } from "../../../shared/simulator/telemetry-port.ts";
import { Timeline } from "../../../shared/simulator/timeline.ts";
import { UnplacedPods } from "../../../shared/simulator/unplaced-pods.ts";

const refused = (reason: string, ...pods: readonly string[]) =>
  pods.map((pod) => ({ pod, reasons: [{ nodePool: "general", reason }] }));

/** What is told after plans, each of which lists these pods as without a place. */
function storyOf(...plans: readonly (readonly object[])[]): readonly string[] {
  const telemetry = new RecordingTelemetry(() => 0);
  const timeline = new Timeline(() => 0);
  const unplaced = new UnplacedPods(telemetry, timeline);
  for (const unschedulable of plans) {
    telemetry.log("info", "plan", { unschedulable });
    unplaced.record();
  }
  return timeline.entries().map(({ kind, text }) => `${kind}: ${text}`);
}

describe("pods without a place", () => {
  it("are told of once for each reason", () => {
    const plan = [...refused("does not tolerate", "shop/a", "shop/b"), ...refused("no such type", "shop/c")];
    expect(storyOf(plan, plan)).toEqual([
      "no place: 2 pods: shop/a, shop/b: general: does not tolerate",
      "no place: 1 pod: shop/c: general: no such type",
    ]);
  });

  it("are told of again when the reason changes by more than a figure", () => {
    const plans = ["limit is 1, this makes it 2", "limit is 1, this makes it 2.5", "no capacity"];
    expect(storyOf(...plans.map((reason) => refused(reason, "shop/a")))).toEqual([
      "no place: 1 pod: shop/a: general: limit is 1, this makes it 2",
      "no place: 1 pod: shop/a: general: no capacity",
    ]);
  });

  it("are not all named when they are many", () => {
    const pods = Array.from({ length: 9 }, (_, index) => `shop/${index}`);
    expect(storyOf(refused("no", ...pods))[0]).toContain(
      "9 pods: shop/0, shop/1, shop/2, shop/3, shop/4, shop/5 and 3 more: ",
    );
  });
});
