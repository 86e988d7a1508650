import type { SimulatedWorld } from "../simulated-world.ts";
import type { InvariantVerdict } from "../simulation-result.ts";
import { noBugs } from "./bugs.ts";
import { claimedInstances } from "./claimed-instances.ts";
import { doNotDisrupt } from "./do-not-disrupt.ts";
import { evictionBudgets } from "./eviction-budgets.ts";
import { messages } from "./messages.ts";
import { poolBudgets } from "./pool-budgets.ts";
import { poolLimits } from "./pool-limits.ts";
import { replacementFirst } from "./replacement-first.ts";
import { settledObjects } from "./settled-objects.ts";
import { singleInstance } from "./single-instance.ts";

/** `every`: looked at once in so many checks, the dearer ones less often. */
const invariants = [
  { start: singleInstance, every: 10 },
  { start: evictionBudgets, every: 1 },
  { start: poolLimits, every: 1 },
  { start: poolBudgets, every: 1 },
  { start: doNotDisrupt, every: 1 },
  { start: replacementFirst, every: 1 },
  { start: claimedInstances, every: 10 },
  { start: settledObjects, every: 1 },
  { start: messages, every: 1 },
  { start: noBugs, every: 1 },
] as const;

/** The properties of every run, watched from now on (design §7). */
export function startInvariants(world: SimulatedWorld): {
  /** To be called each virtual second and once after the run. */
  check(): void;
  atEnd(): void;
  verdicts(): readonly InvariantVerdict[];
} {
  const started = invariants.map(({ start, every }) => ({ invariant: start(world), every }));
  let checks = 0;
  return {
    check() {
      checks += 1;
      for (const { invariant, every } of started) if (checks % every === 0) invariant.check();
    },
    atEnd() {
      for (const { invariant } of started) {
        invariant.check();
        invariant.atEnd?.();
      }
    },
    verdicts: () => started.map(({ invariant }) => invariant.verdict()),
  };
}
