import { describe, expect, it } from "vitest";
import { afterCrash, type CrashStory, crashPoints, sample } from "../support/crash-points.ts";
import { apply, eightPods, livingInstances, scaleTo, secondsToRest } from "../support/whole-stack.ts";

/**
 * A small story is told again and again, each time with one crash at another of its calls to the world; whatever the crash leaves
 * lying, the rest of the stack must bring to the same end. By default these are all notable moments of the planner and a sample of the
 * other functions', so that the file takes half a minute; `JOURNEYMAN_EVERY_CRASH=1` tells the stories for the moments before and after
 * every single call, some 1,700, in a quarter of an hour.
 */
const everyCrash = process.env.JOURNEYMAN_EVERY_CRASH === "1";

const launch: CrashStory = {
  functions: ["provisioning"],
  begin: (world) => apply(world, eightPods),
  rest: { pods: 8, claims: 4 },
  launches: 4,
  withinSeconds: 300,
};

const running = {
  prepare: async (world) => {
    apply(world, eightPods);
    await secondsToRest(world, launch.rest, 180);
  },
} satisfies Pick<CrashStory, "prepare">;

const spotNotice: CrashStory = {
  ...running,
  functions: ["interruption", "termination", "provisioning", "lifecycle"],
  begin: (world) => {
    const spot = livingInstances(world).find(({ capacityType }) => capacityType === "spot");
    world.ec2.interruptSpot(spot?.instanceId ?? "none");
  },
  rest: { pods: 8, claims: 4 },
  launches: 5,
  notBeforeSeconds: 120,
  withinSeconds: 360,
};

const emptiness: CrashStory = {
  ...running,
  functions: ["disruption", "termination"],
  begin: (world) => scaleTo(world, "db", 0),
  rest: { pods: 4, claims: 2 },
  launches: 4,
  withinSeconds: 600,
};

async function expectSameEnd(story: CrashStory, most: number): Promise<void> {
  const points = await crashPoints(story);
  const chosen = everyCrash
    ? points
    : sample(
        points.filter((point) => point.isNotable),
        most,
      );
  const wrong: string[] = [];
  for (const point of chosen) wrong.push(...(await afterCrash(story, point)));
  expect(wrong).toEqual([]);
}

describe("a crash at any call", { timeout: everyCrash ? 3_600_000 : 120_000 }, () => {
  it("of the planner leaves one instance per claim, and all pods run within five minutes", async () => {
    await expectSameEnd(launch, 40);
  });

  it("after a spot notice leaves one replacement and no machine too many", async () => {
    await expectSameEnd(spotNotice, 20);
  });

  it("while empty nodes are given back leaves none of them", async () => {
    await expectSameEnd(emptiness, 15);
  });
});
