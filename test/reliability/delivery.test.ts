import { describe, expect, it } from "vitest";
import { provisioningMessageGroup } from "../../shared/runtime/config.ts";
import type { DeliveryFaults } from "../../shared/simulator/delivery.ts";
import { startInvariants } from "../../shared/simulator/invariants/all.ts";
import type { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import {
  apply,
  eightPods,
  livingInstances,
  type Rest,
  restlessness,
  scaleTo,
  secondsToRest,
  wholeStack,
} from "../support/whole-stack.ts";

const launched: Rest = { pods: 8, claims: 4 };
const never: DeliveryFaults = { loseChance: 0, duplicateChance: 0, delayChance: 0, maxExtraDelayMilliseconds: 0 };

function runFor(world: SimulatedWorld, seconds: number): Promise<void> {
  return world.loop.runUntil(world.loop.now() + seconds * 1_000);
}

function interruptOneSpot(world: SimulatedWorld): void {
  const spot = livingInstances(world).find(({ capacityType }) => capacityType === "spot");
  world.ec2.interruptSpot(spot?.instanceId ?? "none");
}

function launchCalls(world: SimulatedWorld): number {
  return world.ec2.apiCalls().get("RunInstances") ?? 0;
}

async function expectRest(world: SimulatedWorld, rest: Rest, withinSeconds: number): Promise<void> {
  await secondsToRest(world, rest, withinSeconds);
  expect(restlessness(world, rest)).toEqual([]);
  expect(world.bugs).toEqual([]);
}

describe("events that do not arrive", () => {
  it("are made up for by the sweep: a silent webhook delays a launch by two minutes at most", async () => {
    const world = wholeStack({ withoutWebhook: true });
    apply(world, eightPods);

    await runFor(world, 120);

    expect(world.ec2.instances()).toHaveLength(4);
    await expectRest(world, launched, 120);
  });

  it("are made up for by collection: a reclaim that nobody announced is replaced", async () => {
    const world = wholeStack();
    apply(world, eightPods);
    await expectRest(world, launched, 180);
    world.messaging.defaultBus.faults = { ...never, loseChance: 1 };
    world.messaging.clusterBus.faults = { ...never, loseChance: 1 };
    interruptOneSpot(world);
    await runFor(world, 130);

    await expectRest(world, launched, 420);

    expect(world.ec2.instances()).toHaveLength(5);
  });
});

describe("messages that arrive twice", () => {
  it("change nothing, though each of them does", async () => {
    const world = wholeStack();
    const invariants = startInvariants(world);
    for (const bus of [world.messaging.clusterBus, world.messaging.defaultBus]) {
      bus.faults = { ...never, duplicateChance: 1, delayChance: 0.5, maxExtraDelayMilliseconds: 10_000 };
    }
    for (const queue of Object.values(world.messaging.queues)) {
      if (!queue.fifo) queue.faults = { duplicateChance: 1, reorderChance: 0.5 };
    }
    apply(world, eightPods);
    await expectRest(world, launched, 180);
    expect(world.ec2.instances()).toHaveLength(4);

    interruptOneSpot(world);
    await runFor(world, 130);
    await expectRest(world, launched, 180);
    expect(world.ec2.instances()).toHaveLength(5);

    scaleTo(world, "db", 0);
    await expectRest(world, { pods: 4, claims: 2 }, 600);
    await runFor(world, 60);
    invariants.atEnd();
    expect(world.ec2.instances()).toHaveLength(5);
    expect(invariants.verdicts().filter(({ holds }) => !holds)).toEqual([]);
  });

  it("are read as answered when a pass finished and its acknowledgement was lost", async () => {
    let releases = 0;
    const world = wholeStack({
      crashPlan: (_index, call, name) => {
        const [kind, , patch] = call.args;
        const isRelease = kind === "Lease" && JSON.stringify(patch)?.includes('"holderIdentity":null') === true;
        return name === "provisioning" && call.phase === "after" && isRelease && ++releases === 1;
      },
    });
    apply(world, eightPods);
    await runFor(world, 60);
    expect(world.messaging.queues.provisioning.bodies()).not.toEqual([]);

    await expectRest(world, launched, 180);

    await runFor(world, 60);
    expect(releases).toBeGreaterThan(1);
    expect(launchCalls(world)).toBe(2);
  });
});

describe("a malformed message", () => {
  it("ends in the dead-letter queue of its queue, and the others go on meanwhile", async () => {
    const world = wholeStack();
    const { queues, deadLetters } = world.messaging;
    const messageGroupId = provisioningMessageGroup;
    for (const queue of Object.values(queues)) {
      queue.send({ body: "{ not a hint", ...(queue.fifo ? { messageGroupId } : {}) });
    }
    queues.provisioning.send({ body: '{"kind":"provision","reason":"because","at":1}', messageGroupId });
    apply(world, eightPods);

    await expectRest(world, launched, 210);

    await runFor(world, 240);
    const bodies = Object.fromEntries(deadLetters.map((queue) => [queue.name, queue.bodies().length]));
    expect(bodies).toEqual({
      "provisioning-dead-letters": 2,
      "lifecycle-dead-letters": 1,
      "termination-dead-letters": 1,
      "interruption-dead-letters": 1,
      "later-dead-letters": 1,
    });
    expect(queues.provisioning.bodies()).toEqual([]);
  });
});
