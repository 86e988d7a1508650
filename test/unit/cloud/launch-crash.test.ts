import { describe, expect, it } from "vitest";
import { LaunchWorld } from "../../support/launch-world.ts";
import { offering } from "../../support/launches.ts";
import { nodeClass } from "../../support/node-classes.ts";

const offerings = [offering("m5.large/z1/spot"), offering("c5.large/z1/spot"), offering("r5.large/z2/on-demand")];
const names = ["a", "b", "c"];

/** Builds the world anew; the faults of a scenario are in it. */
type Scenario = () => LaunchWorld;

const scenarios: Readonly<Record<string, Scenario>> = {
  "EC2 has room": () => new LaunchWorld(names, offerings),
  "the first offering is empty": () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.room.set("m5.large/z1/spot", 0);
    return world;
  },
  "the first offerings give fewer than asked": () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.room.set("m5.large/z1/spot", 1).set("c5.large/z1/spot", 1);
    return world;
  },
  "the answer is lost": () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.lostAnswers.push("TimeoutError");
    return world;
  },
  "the answer is lost and the first look-ups show nothing": () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.lostAnswers.push("InternalError");
    world.ec2.blindLookups = 2;
    return world;
  },
  "the request is throttled": () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.throttles = 2;
    return world;
  },
};

describe.each(Object.entries(scenarios))("when %s", (_name, scenario) => {
  it("every claim gets exactly one instance", () => {
    const world = scenario();
    recover(world);
    expect(world.faults()).toEqual([]);
  });

  it("a crash before any effect changes nothing about that", () => {
    for (let effect = 1; ; effect++) {
      const world = scenario();
      const finished = world.pass(effect);
      recover(world);
      expect(world.faults(), `crash before effect ${effect}`).toEqual([]);
      if (finished) return;
    }
  });

  it("nor does a second crash while recovering from the first", () => {
    for (let first = 1; ; first++) {
      let finished = false;
      for (let second = 1; ; second++) {
        const world = scenario();
        finished = world.pass(first);
        const recovered = world.pass(second);
        recover(world);
        expect(world.faults(), `crashes before effects ${first} and ${second}`).toEqual([]);
        if (recovered) break;
      }
      if (finished) return;
    }
  });

  it("claims deleted after the crash leave no instance behind", () => {
    for (let effect = 1; ; effect++) {
      const world = scenario();
      const finished = world.pass(effect);
      for (const name of ["a", "c"]) world.claims.set(name, { ...world.claims.get(name), deleting: true });
      recover(world);
      const unowned = world.faults().filter((fault) => !ownInstances(world).some((id) => fault.startsWith(id)));
      expect(unowned, `crash before effect ${effect}`).toEqual([]);
      if (finished) return;
    }
  });

  it("a NodeClass that changes after the crash does not launch twice", () => {
    for (let effect = 1; ; effect++) {
      const world = scenario();
      const finished = world.pass(effect);
      world.nodeClass = nodeClass({ userData: "#!/bin/sh\necho changed" });
      recover(world);
      expect(world.faults(), `crash before effect ${effect}`).toEqual([]);
      if (finished) return;
    }
  });
});

describe("a replay long after its attempt began", () => {
  it("is waited for like a first request, even if the NodeClass changes right after it", () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.throttles = 8;
    for (let pass = 0; pass < 8; pass++) world.pass();
    world.ec2.lostAnswers.push("TimeoutError");
    world.ec2.blindLookups = 3;
    world.pass();
    expect(world.ec2.living()).toHaveLength(names.length);
    world.nodeClass = nodeClass({ userData: "#!/bin/sh\necho changed" });
    recover(world);
    expect(world.faults()).toEqual([]);
  });
});

describe("the crash test itself", () => {
  it("sees the second launch of an EC2 that ignores client tokens", () => {
    const world = new LaunchWorld(names, offerings);
    world.ec2.honoursTokens = false;
    world.ec2.lostAnswers.push("TimeoutError");
    world.ec2.blindLookups = 2;
    world.pass();
    recover(world);
    expect(world.ec2.instances.size).toBeGreaterThan(names.length);
  });
});

/** Passes without a crash, more than enough for every wait to end. */
function recover(world: LaunchWorld): void {
  for (let pass = 0; pass < 12; pass++) world.pass();
}

/** Instances of deleting claims: termination ends those. */
function ownInstances(world: LaunchWorld): readonly string[] {
  return [...world.claims.values()].flatMap(({ deleting, instanceId }) =>
    deleting && instanceId !== undefined ? [instanceId] : [],
  );
}
