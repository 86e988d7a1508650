import { ProviderError } from "../ports.ts";
import type { CrashPlan } from "./invocation.ts";
import type { KubernetesFaults } from "./kubernetes-port.ts";
import type { Random } from "./random.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** Faults of one run, drawn from its seed; they can be stopped to see the system recover. */
export class FaultMix {
  readonly #random: Random;
  readonly #intensity: number;
  #isOn = true;

  /** `intensity` multiplies the chance of crashes and of refused or unanswered calls to Kubernetes. */
  constructor(random: Random, intensity = 1) {
    this.#random = random.fork("faults");
    this.#intensity = intensity;
  }

  /** An invocation dies before or after one of its calls, about once in 250 calls. */
  readonly crashPlan: CrashPlan = () => this.#strikes(0.004);

  readonly kubernetesFaults: KubernetesFaults = {
    beforeCall: (verb, kind) => {
      if (verb !== "list" && verb !== "get" && this.#strikes(0.01)) {
        throw new ProviderError("Conflict", "Conflict", `${kind}: the object has been modified (injected)`);
      }
      if (this.#strikes(0.005)) throw new ProviderError("Throttled", "TooManyRequests", `${verb} ${kind} (injected)`);
    },
    afterCall: (verb, kind) => {
      if (this.#strikes(0.003))
        throw new ProviderError("Unknown", "Timeout", `${verb} ${kind}: done, but the answer is lost (injected)`);
    },
  };

  /** Events lost, doubled and late; messages doubled and out of order; refusals by EC2 and answers that get lost. */
  start(world: SimulatedWorld): void {
    const delivery = { loseChance: 0.05, duplicateChance: 0.1, delayChance: 0.1, maxExtraDelayMilliseconds: 20_000 };
    world.messaging.clusterBus.faults = delivery;
    world.messaging.defaultBus.faults = delivery;
    for (const queue of Object.values(world.messaging.queues)) {
      if (!queue.fifo) queue.faults = { duplicateChance: 0.1, reorderChance: 0.2 };
    }
    world.ec2.faults.failRandomly("RunInstances", 0.1, "InsufficientInstanceCapacity");
    world.ec2.faults.failRandomly("RunInstances", 0.05);
    world.ec2.faults.failRandomly("DescribeInstances", 0.02, "InternalError");
  }

  stop(world: SimulatedWorld): void {
    this.#isOn = false;
    const none = { loseChance: 0, duplicateChance: 0, delayChance: 0, maxExtraDelayMilliseconds: 0 };
    world.messaging.clusterBus.faults = none;
    world.messaging.defaultBus.faults = none;
    for (const queue of Object.values(world.messaging.queues)) queue.faults = { duplicateChance: 0, reorderChance: 0 };
    world.ec2.faults.stopRandomFailures();
  }

  #strikes(chance: number): boolean {
    return this.#isOn && this.#random.chance(chance * this.#intensity);
  }
}
