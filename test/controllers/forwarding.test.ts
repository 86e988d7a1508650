import { expect, it } from "vitest";
import { forwardDue } from "../../shared/controllers/forwarding.ts";
import { controllerWorld } from "../support/controller-world.ts";
import { hintAt } from "../support/planner-world.ts";

it("a hint that was due later counts from now on, so that no pass since then has answered it", async () => {
  const world = controllerWorld();
  const made = world.now();
  await world.advance(60);

  await forwardDue(world.ports, world.settings, [hintAt(made, "retry"), hintAt(made, "claim-unlaunched")]);

  expect(world.sent).toEqual([
    { hint: hintAt(made + 60_000, "retry"), delaySeconds: 0 },
    { hint: hintAt(made + 60_000, "claim-unlaunched"), delaySeconds: 0 },
  ]);
});
