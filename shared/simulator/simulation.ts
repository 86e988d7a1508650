import { defaultSettings } from "../state/settings.ts";
import { FaultMix } from "./fault-mix.ts";
import { startInvariants } from "./invariants/all.ts";
import { Random } from "./random.ts";
import { Sampler } from "./sampler.ts";
import type { Scenario } from "./scenario.ts";
import { performAction } from "./scenario-actions.ts";
import { SimulatedWorld } from "./simulated-world.ts";
import type { SimulationResult, SimulationSample } from "./simulation-result.ts";
import { recordNodes, Timeline } from "./timeline.ts";
import { UnplacedPods } from "./unplaced-pods.ts";

export interface SimulationOptions {
  readonly seed: number;
  /** Crashes, lost and doubled messages, refusals: on until the last fifth of the run. */
  readonly faults: boolean;
}

/** The virtual morning on which every run begins. */
const startAt = Date.UTC(2026, 0, 1, 8);
const sampleSeconds = 15;
const shareWithFaults = 0.8;

/** Runs a scenario with the production controllers in virtual time. Equal scenario, seed and faults give an equal result. */
export async function runSimulation(scenario: Scenario, options: SimulationOptions): Promise<SimulationResult> {
  const faults = options.faults ? new FaultMix(new Random(options.seed)) : undefined;
  const world = new SimulatedWorld({
    seed: options.seed,
    settings: { ...defaultSettings, ...scenario.settings },
    startAt,
    namespaces: namespacesOf(scenario),
    ...(faults && { crashPlan: faults.crashPlan, kubernetesFaults: faults.kubernetesFaults }),
  });
  const timeline = new Timeline(() => world.loop.now());
  const sampler = new Sampler(world);
  const invariants = startInvariants(world);
  recordNodes(world, timeline);
  performAction(world, { do: "apply", objects: scenario.objects });
  scheduleSteps(world, scenario, timeline);
  const unplaced = new UnplacedPods(world.telemetry, timeline);
  every(world, 1, () => {
    unplaced.record();
    invariants.check();
  });
  every(world, sampleSeconds, () => sampler.take());
  const endAt = startAt + scenario.durationSeconds * 1_000;
  if (faults !== undefined) {
    faults.start(world);
    const calmAt = scenario.durationSeconds * 1_000 * shareWithFaults;
    world.loop.schedule(calmAt, "faults end", () => faults.stop(world));
  }
  await world.loop.runUntil(endAt);
  invariants.atEnd();
  return {
    scenario: scenario.name,
    seed: options.seed,
    startedAt: startAt,
    endedAt: endAt,
    timeline: timeline.entries(),
    samples: sampler.samples,
    costUsd: world.ec2.costUsd(),
    lowerBoundCostUsd: boundCost(sampler.samples, endAt),
    interruptions: world.ec2.instances().filter(({ stateReason }) => stateReason?.includes("SpotInstanceTermination"))
      .length,
    podsToRunning: { ...waits(sampler.secondsToRunning), neverRan: sampler.neverRan() },
    apiCalls: world.apiCalls(),
    invariants: invariants.verdicts(),
  };
}

function scheduleSteps(world: SimulatedWorld, scenario: Scenario, timeline: Timeline): void {
  for (const { atSeconds, action } of scenario.steps) {
    world.loop.schedule(atSeconds * 1_000, `step ${action.do}`, () =>
      timeline.add("step", performAction(world, action)),
    );
  }
}

function every(world: SimulatedWorld, seconds: number, work: () => void): void {
  world.loop.schedule(seconds * 1_000, "observation", () => {
    work();
    every(world, seconds, work);
  });
}

function namespacesOf(scenario: Scenario): readonly string[] {
  const applied = scenario.steps.flatMap(({ action }) => (action.do === "apply" ? action.objects : []));
  const names = [...scenario.objects, ...applied].flatMap(({ metadata }) => metadata.namespace ?? []);
  return [...new Set(names)].filter((name) => name !== "default" && name !== "kube-system" && name !== "journeyman");
}

function boundCost(samples: readonly SimulationSample[], endAt: number): number {
  return samples.reduce((sum, sample, index) => {
    const untilAt = samples[index + 1]?.at ?? endAt;
    return sum + (sample.lowerBoundUsdPerHour * (untilAt - sample.at)) / 3_600_000;
  }, 0);
}

function waits(seconds: readonly number[]): Omit<SimulationResult["podsToRunning"], "neverRan"> {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, medianSeconds: at(0.5), p99Seconds: at(0.99) };
}
