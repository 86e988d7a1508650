import { describe, expect, it } from "vitest";
import { noBugs } from "../../../shared/simulator/invariants/bugs.ts";
import { expectBroken, findingOf, observedWorld } from "../../support/observed-world.ts";

describe("no function fails by a bug", () => {
  it("holds until one throws what no provider explains", () => {
    const { world } = observedWorld();
    const invariant = noBugs(world);
    expect(findingOf(invariant)).toBe("holds");
    world.bugs.push({ name: "lifecycle", error: new TypeError("undefined is not a node") });
    expectBroken(findingOf(invariant), "function lifecycle", "undefined is not a node");
  });
});
