import { terminate } from "../../shared/controllers/termination.ts";
import type { ControllerWorld } from "./controller-world.ts";

/** Takes the termination hints off that have been sent, waits for the last one's delay, and runs them. False: there was none. */
export async function nextStep(world: ControllerWorld): Promise<boolean> {
  const due = world.sent.filter(({ hint }) => hint.kind === "termination");
  const others = world.sent.filter(({ hint }) => hint.kind !== "termination");
  world.sent.splice(0, world.sent.length, ...others);
  await world.advance(Math.max(0, ...due.map(({ delaySeconds }) => delaySeconds)));
  await terminate(
    world.ports,
    world.settings,
    due.map(({ hint }) => hint),
  );
  return due.length > 0;
}

/** Steps until `isReached`; an error after 100 steps. `between` plays the rest of the cluster. */
export async function stepUntil(world: ControllerWorld, isReached: () => boolean, between = () => {}): Promise<void> {
  for (let step = 0; !isReached(); step++) {
    if (step === 100) throw new Error("not reached in 100 steps");
    if (!(await nextStep(world))) throw new Error("no hint is left to go on with");
    between();
  }
}

/** Deletes a claim as a user does, with the hint that lifecycle would send. */
export function deleteByHand(world: ControllerWorld, name: string): void {
  world.server.delete("NodeClaim", { name });
  world.sent.push({ hint: { kind: "termination", nodeClaim: name, step: 0, at: world.now() }, delaySeconds: 0 });
}
