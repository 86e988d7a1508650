import { describe, expect, it } from "vitest";
import { formatNominations, nominationsOf } from "../../../shared/state/nominations.ts";
import { nodeClaim } from "../../support/node-claims.ts";

const a = { uid: "a", owner: "web", class: "c1" };
const b = { uid: "b", owner: "db", class: "c2", requests: { cpu: "1500m", pods: "1" } };

function claimWith(text: string) {
  return nodeClaim("one", { annotations: { "journeyman.sh/nominated-pods": text } });
}

describe("nominations", () => {
  it("are read as they were written", () => {
    expect(nominationsOf(claimWith(formatNominations([b, a])))).toEqual([a, b]);
  });

  it("are written alike whatever their order", () => {
    expect(formatNominations([b, a])).toBe(formatNominations([a, b]));
  });

  it("are none on a claim without them, or with something else in their place", () => {
    expect(nominationsOf(nodeClaim("one"))).toEqual([]);
    expect(nominationsOf(claimWith("no JSON"))).toEqual([]);
    expect(nominationsOf(claimWith('[1, {"uid": "x"}, {"uid": "a", "owner": "web", "class": "c1"}]'))).toEqual([a]);
  });
});
