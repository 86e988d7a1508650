/** What one run of a scenario did and cost: the same for the same scenario and seed. Times are epoch milliseconds of virtual time. */
export interface SimulationResult {
  readonly scenario: string;
  readonly seed: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** In order of time. */
  readonly timeline: readonly TimelineEntry[];
  /** In order of time; each holds until the next. */
  readonly samples: readonly SimulationSample[];
  /** What EC2 billed for instances. */
  readonly costUsd: number;
  /** What the lower bounds of the samples add up to: no planner could have run all pods, those that waited too, for less. */
  readonly lowerBoundCostUsd: number;
  /** Instances that EC2 took back. */
  readonly interruptions: number;
  /** From a pod's creation until it runs. */
  readonly podsToRunning: {
    readonly count: number;
    readonly medianSeconds: number;
    readonly p99Seconds: number;
    /** Pods that are not among `count`: still waiting at the end, or deleted while they waited. */
    readonly neverRan: number;
  };
  readonly apiCalls: readonly { readonly api: string; readonly calls: number }[];
  readonly invariants: readonly InvariantVerdict[];
}

export interface TimelineEntry {
  readonly at: number;
  /** Who or what: a scenario step, a controller's name, `ec2`, `kubernetes`. */
  readonly kind: string;
  readonly text: string;
}

export interface SimulationSample {
  readonly at: number;
  readonly nodes: number;
  readonly priceUsdPerHour: number;
  readonly lowerBoundUsdPerHour: number;
  readonly pendingPods: number;
  readonly runningPods: number;
}

export interface InvariantVerdict {
  readonly name: string;
  readonly holds: boolean;
  /** What broke it, when and where; empty when it holds. */
  readonly detail: string;
}
