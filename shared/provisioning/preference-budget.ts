import type { GrantedPreferences, PlannedClass } from "./planning-world.ts";
import { type PreferenceKind, preferenceKinds } from "./relaxation.ts";

/** What is compared of a plan. */
export interface PricedPlan {
  /** With volumes and charges. */
  readonly costUsdPerHour: number;
  /** Pods without a place. */
  readonly unplaced: number;
}

/** Plans tried beyond the two extremes, in a small world. */
const mostTrials = 12;
/** What a pass may spend on trials, by {@link planSeconds}. */
const trialSeconds = 10;

/** A plan that keeps the preferences it can pay for, beside one that keeps none. */
export interface BudgetedPlan<P> {
  readonly chosen: P;
  readonly preferenceCostUsdPerHour: number;
}

/**
 * Grants preferences as far as they raise the cost by at most `maxCostPercent` over a plan that keeps none. All of them if that is
 * within the budget; else one after the other, those first that are given up last (karpenter-core §2.4): class by class in small
 * worlds, kind by kind in large ones.
 */
export function withinPreferenceBudget<P extends PricedPlan>(
  classes: readonly PlannedClass[],
  wanted: ReadonlySet<PreferenceKind>,
  maxCostPercent: number,
  planWith: (granted: GrantedPreferences) => P,
): BudgetedPlan<P> {
  const wishes = wishesOf(classes, wanted);
  const base = planWith(new Map());
  if (wishes.length === 0) return { chosen: base, preferenceCostUsdPerHour: 0 };
  const limit = base.costUsdPerHour * (1 + maxCostPercent / 100) + toleranceUsdPerHour;
  const isAffordable = (plan: P) => plan.unplaced <= base.unplaced && plan.costUsdPerHour <= limit;
  const grantedAll = planWith(grants(wishes));
  if (isAffordable(grantedAll)) return costed(grantedAll, base);
  let chosen = base;
  let granted: readonly Wish[] = [];
  for (const group of groupsOf(wishes, trialsFor(classes))) {
    const candidate = planWith(grants([...granted, ...group]));
    if (!isAffordable(candidate)) continue;
    chosen = candidate;
    granted = [...granted, ...group];
  }
  return costed(chosen, base);
}

const toleranceUsdPerHour = 1e-9;

function costed<P extends PricedPlan>(chosen: P, base: P): BudgetedPlan<P> {
  return { chosen, preferenceCostUsdPerHour: Math.max(0, chosen.costUsdPerHour - base.costUsdPerHour) };
}

/** One kind of preference of one class. */
interface Wish {
  readonly planned: PlannedClass;
  readonly kind: PreferenceKind;
}

/** Those given up last come first. */
function wishesOf(classes: readonly PlannedClass[], wanted: ReadonlySet<PreferenceKind>): readonly Wish[] {
  return preferenceKinds
    .toReversed()
    .filter((kind) => wanted.has(kind))
    .flatMap((kind) =>
      classes.flatMap((planned) => (planned.relaxation.kinds().includes(kind) ? [{ planned, kind }] : [])),
    );
}

/** No clock may decide what a plan is: how long one takes is estimated from its size. */
function trialsFor(classes: readonly PlannedClass[]): number {
  return Math.min(mostTrials, Math.floor(trialSeconds / planSeconds(classes)));
}

/** Measured: 5,000 pods of a dozen classes take about five seconds, 1,000 of 200 classes about nine. */
function planSeconds(classes: readonly PlannedClass[]): number {
  const pods = classes.reduce((sum, { podClass }) => sum + podClass.pods.length, 0);
  return pods / 1_000 + classes.length / 25;
}

function groupsOf(wishes: readonly Wish[], trials: number): readonly (readonly Wish[])[] {
  if (wishes.length <= trials) return wishes.map((wish) => [wish]);
  return [...Map.groupBy(wishes, ({ kind }) => kind).values()].slice(0, trials);
}

function grants(wishes: readonly Wish[]): GrantedPreferences {
  const byClass = Map.groupBy(wishes, ({ planned }) => planned);
  return new Map([...byClass].map(([planned, own]) => [planned, new Set(own.map(({ kind }) => kind))]));
}
