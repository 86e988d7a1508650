import { describe, expect, it } from "vitest";
import { messages } from "../../../shared/simulator/invariants/messages.ts";
import { expectBroken, finalFindingOf, observedWorld } from "../../support/observed-world.ts";

describe("no message is lost", () => {
  it("holds while a message is young", async () => {
    const { cluster, world } = observedWorld();
    world.messaging.queues.termination.send({ body: "{}", delaySeconds: 60 });
    await cluster.advance(180);
    expect(finalFindingOf(messages(world))).toBe("holds");
  });

  it("is broken by a message that nobody takes", async () => {
    const { cluster, world } = observedWorld();
    world.messaging.queues.termination.send({ body: "{}" });
    await cluster.advance(181);
    expectBroken(finalFindingOf(messages(world)), "queue termination", "sent 181 s ago");
  });

  it("is broken by a message that was given up", () => {
    const { world } = observedWorld();
    const queue = world.messaging.deadLetters.find(({ name }) => name === "lifecycle-dead-letters");
    queue?.send({ body: "a hint" });
    expectBroken(finalFindingOf(messages(world)), "queue lifecycle-dead-letters", "the first a hint");
  });
});
