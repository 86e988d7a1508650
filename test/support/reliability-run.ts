import type { KubernetesObject } from "../../shared/api/kinds.ts";
import { FaultMix } from "../../shared/simulator/fault-mix.ts";
import { startInvariants } from "../../shared/simulator/invariants/all.ts";
import type { Queue } from "../../shared/simulator/queue.ts";
import { Random } from "../../shared/simulator/random.ts";
import type { ScenarioAction } from "../../shared/simulator/scenario.ts";
import { performAction } from "../../shared/simulator/scenario-actions.ts";
import { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { startAt } from "./controller-world.ts";

/** Longer than any queue hides a message. */
const longestVisibility = 75_000;

export interface ReliabilityRun {
  readonly seed: number;
  readonly objects: readonly KubernetesObject[];
  /** Minutes after the start, all of them while there are faults. */
  readonly steps: readonly (readonly [atMinutes: number, action: ScenarioAction])[];
  readonly faultMinutes: number;
  readonly calmMinutes: number;
  /** Of crashes and failing calls; 0 for a run without any fault. */
  readonly intensity?: number;
  readonly withoutWebhook?: boolean;
}

/**
 * A run of the whole stack in two phases: with faults, in which nothing may be done wrong; then without, in which everything must come
 * to rest. Returns what broke, a line for each invariant, and the world as it is at the end.
 */
export async function runInTwoPhases(run: ReliabilityRun): Promise<{
  readonly broken: readonly string[];
  readonly world: SimulatedWorld;
}> {
  const { seed, intensity = 1, withoutWebhook = false } = run;
  const withoutFaults = intensity === 0;
  const faults = new FaultMix(new Random(seed), intensity);
  const { crashPlan, kubernetesFaults } = faults;
  const world = new SimulatedWorld({
    seed,
    settings: { ...defaultSettings, region: "us-east-1" },
    startAt,
    withoutWebhook,
    ...(withoutFaults ? {} : { crashPlan, kubernetesFaults }),
  });
  const invariants = startInvariants(world);
  checkEachSecond(world, () => invariants.check());
  performAction(world, { do: "apply", objects: run.objects });
  for (const [minutes, action] of run.steps) {
    world.loop.schedule(minutes * 60_000, action.do, () => void performAction(world, action));
  }
  if (!withoutFaults) faults.start(world);
  await world.loop.runUntil(startAt + run.faultMinutes * 60_000);
  if (!withoutFaults) faults.stop(world);
  // A message whose last chance failed just before is given up when it becomes visible again.
  await world.loop.runUntil(
    startAt + run.faultMinutes * 60_000 + Math.min(run.calmMinutes * 60_000, longestVisibility),
  );
  for (const queue of world.messaging.deadLetters) purge(queue);
  await world.loop.runUntil(startAt + (run.faultMinutes + run.calmMinutes) * 60_000);
  invariants.atEnd();
  const broken = invariants.verdicts().filter(({ holds }) => !holds);
  return { broken: broken.map(({ name, detail }) => `${name}: ${detail}`), world };
}

/** What was given up among faults must not be missed: no hint is ever needed (design rule 1). */
export function purge(queue: Queue): void {
  for (let received = queue.receive(10); received.length > 0; received = queue.receive(10)) {
    for (const { receiptHandle } of received) queue.delete(receiptHandle);
  }
}

function checkEachSecond(world: Pick<SimulatedWorld, "loop">, check: () => void): void {
  world.loop.schedule(1_000, "invariants", () => {
    check();
    checkEachSecond(world, check);
  });
}
