import type { Range } from "./delivery.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";
import type { Ec2Api } from "./ec2-request-limits.ts";
import type { Random } from "./random.ts";

/** How long each call takes when nothing is wrong, in milliseconds. */
const usualLatency: { readonly [Api in Ec2Api]?: Range } = {
  RunInstances: [900, 2_200],
  TerminateInstances: [200, 600],
  CreateTags: [150, 400],
};
const readingLatency: Range = [80, 300];

interface PlannedFault {
  readonly api: Ec2Api;
  /** Absent: the call takes effect, and its answer is lost. */
  readonly code: string | undefined;
  readonly message?: string;
  /** How many calls are still to be hit; infinite for a fault by chance. */
  timesLeft: number;
  readonly chance: number;
}

export interface LaunchFate {
  readonly boots: boolean;
  /** State reason of an instance that dies while pending. */
  readonly diesOf?: string;
  /** Instead of a short time by chance. */
  readonly hiddenMilliseconds?: number;
}

interface TakenFault {
  readonly answerIsLost: boolean;
}

/** What scripts want to go wrong in the simulated EC2. */
export class Ec2Faults {
  readonly #random: Random;
  readonly #planned: PlannedFault[] = [];
  readonly #latency = new Map<Ec2Api, Range>();
  readonly #neverBooting: { reason: string | undefined }[] = [];
  #hiddenMilliseconds: number | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The next calls are refused with an EC2 code and have no effect. */
  failNext(api: Ec2Api, code: string, times = 1, message?: string): void {
    this.#planned.push({ api, code, timesLeft: times, chance: 1, ...(message !== undefined && { message }) });
  }

  /** The next calls take effect, but the caller sees a timeout: an unknown outcome. */
  loseAnswers(api: Ec2Api, times = 1): void {
    this.#planned.push({ api, code: undefined, timesLeft: times, chance: 1 });
  }

  /** From now on each call is hit with this chance: refused with the code, or its answer lost when there is no code. */
  failRandomly(api: Ec2Api, chance: number, code?: string): void {
    this.#planned.push({ api, code, timesLeft: Number.POSITIVE_INFINITY, chance });
  }

  /** Ends every fault by chance; planned ones still come. */
  stopRandomFailures(): void {
    const isPlanned = ({ timesLeft }: PlannedFault) => Number.isFinite(timesLeft);
    this.#planned.splice(0, this.#planned.length, ...this.#planned.filter(isPlanned));
  }

  /** Instances launched next run, but their kubelet never joins the cluster. */
  preventBoots(times: number): void {
    this.#neverBooting.push(...Array.from({ length: times }, () => ({ reason: undefined })));
  }

  /** Instances launched next go from pending to terminated with a state reason (karpenter-aws §4.8, "Async failures"). */
  failLaunchesLater(stateReason: string, times = 1): void {
    this.#neverBooting.push(...Array.from({ length: times }, () => ({ reason: stateReason })));
  }

  /** Instances launched from now on are unknown to other calls for so long (serverless-aws §2, "Eventual consistency"). */
  hideLaunches(milliseconds: number): void {
    this.#hiddenMilliseconds = milliseconds;
  }

  setLatency(api: Ec2Api, milliseconds: Range): void {
    this.#latency.set(api, milliseconds);
  }

  latencyOf(api: Ec2Api): number {
    return this.#random.integer(...(this.#latency.get(api) ?? usualLatency[api] ?? readingLatency));
  }

  /**
   * Takes the fault that is next for a call: refuses it by throwing, or says whether its answer is lost. A fault whose code this call
   * could not meet with is left for another.
   */
  takeFault(api: Ec2Api, isPossible: (code: string | undefined) => boolean = () => true): TakenFault {
    const fault = this.#planned.find(
      (planned) =>
        planned.api === api && planned.timesLeft > 0 && this.#random.chance(planned.chance) && isPossible(planned.code),
    );
    if (fault === undefined) {
      return { answerIsLost: false };
    }
    fault.timesLeft -= 1;
    if (fault.code !== undefined) {
      throw new Ec2ApiError(fault.code, fault.message ?? `${fault.code}: injected into ${api} by the simulation`);
    }
    return { answerIsLost: true };
  }

  /** How the next launched instance fares after its launch. */
  takeLaunchFate(): LaunchFate {
    const fate = this.#neverBooting.shift();
    const hidden = this.#hiddenMilliseconds;
    return {
      boots: fate === undefined,
      ...(fate?.reason !== undefined && { diesOf: fate.reason }),
      ...(hidden !== undefined && { hiddenMilliseconds: hidden }),
    };
  }
}
