import { describe, expect, it } from "vitest";
import { formatReplacement, replacementOf, strongerReplacement } from "../../../shared/state/replacement.ts";
import { nodeNamed } from "../../support/cluster-objects.ts";

const rebalance = { reason: "rebalance", noticedAt: 1_000 };
const spot = { reason: "spot-interruption", noticedAt: 5_000, deadlineAt: 125_000 };

describe("the mark of a leaving node", () => {
  it("is read as it was written, and anything else is no mark", () => {
    const node = nodeNamed("n");
    const marked = (text: string) => ({
      ...node,
      metadata: { ...node.metadata, annotations: { "journeyman.sh/replace": text } },
    });
    expect(replacementOf(marked(formatReplacement({ ...spot, roomFor: ["pod-1"] })))).toEqual({
      ...spot,
      roomFor: ["pod-1"],
    });
    expect(replacementOf(marked("yes"))).toBeUndefined();
    expect(replacementOf(node)).toBeUndefined();
  });

  it("takes the earlier deadline and keeps the first notice's time", () => {
    expect(strongerReplacement(rebalance, spot)).toEqual({ ...spot, noticedAt: 1_000 });
    expect(strongerReplacement(spot, rebalance)).toBe(spot);
    expect(strongerReplacement(spot, spot)).toBe(spot);
  });
});
