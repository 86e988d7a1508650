import { type Invariant, invariant, type ObservedWorld } from "./invariant.ts";

const oldestMinutes = 3;

/** At the end no message has been given up, and none has waited for long. */
export function messages(world: ObservedWorld): Invariant {
  return invariant("no message is lost", world, (report) => ({
    atEnd() {
      const { messaging } = world;
      for (const queue of messaging.deadLetters) {
        const [body, ...others] = queue.bodies();
        if (body === undefined) continue;
        const seen = `${others.length + 1} messages, the first ${body.slice(0, 300)}`;
        report({ objects: `queue ${queue.name}`, seen, allowed: "none" });
      }
      const now = world.loop.now();
      for (const queue of Object.values(messaging.queues)) {
        const sentAt = queue.oldestSentAt();
        if (sentAt === undefined || now - sentAt <= oldestMinutes * 60_000) continue;
        const seen = `a message sent ${Math.floor((now - sentAt) / 1_000)} s ago`;
        report({ objects: `queue ${queue.name}`, seen, allowed: `${oldestMinutes} minutes` });
      }
    },
  }));
}
