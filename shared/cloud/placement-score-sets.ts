import { shortHash } from "../api/short-hash.ts";

/** A request for spot placement scores and what came of it. Of one NodePool and size class there is one at a time. */
export interface ScoreSet {
  readonly nodePool: string;
  /** The size class: a power of two. */
  readonly vcpus: number;
  /** Sorted, three to fifteen. */
  readonly instanceTypes: readonly string[];
  /** Nodes, a power of two. */
  readonly targetCapacity: number;
  readonly chosenAt: number;
  /** When it was last asked for. Absent: not yet. */
  readonly triedAt?: number;
  /** By zone name, of the last answer. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly scoredAt?: number;
  /** Why the last try gave no scores. */
  readonly noSignal?: string;
}

/** A configuration that the account was asked for: what EC2's quota counts. */
export interface AskedConfiguration {
  readonly configuration: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** What the NodeClaims of a pool and size class have in common. */
export interface ScoreDemand extends Pick<ScoreSet, "nodePool" | "vcpus" | "instanceTypes" | "targetCapacity"> {
  readonly priceUsdPerHour: number;
}

export interface ScorePlan {
  /** To be kept, or to take the place of the pool's and class's set. */
  readonly sets: readonly ScoreSet[];
  /** Of them, those to be asked for now. */
  readonly due: readonly ScoreSet[];
  /** Sets that nobody needs any more. */
  readonly dropped: readonly ScoreSet[];
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** EC2's advice is to act on a score at once; its answers to a known configuration are free. */
const rescoreMilliseconds = 10 * minute;
/** EC2 counts a day; nothing is gained by asking each minute. */
const noSignalMilliseconds = 60 * minute;
/** An older score is no signal. */
const validMilliseconds = 60 * minute;

/**
 * Which sets to have and which to ask for. A set stays for a day, and longer where nothing may replace it. New ones go to those who spend most, as
 * far as the quota goes: `perDay` configurations in any 24 hours that were not asked for in the 24 hours before (serverless-aws §1).
 */
export function planScores(
  demands: readonly ScoreDemand[],
  known: { readonly sets: readonly ScoreSet[]; readonly asked: readonly AskedConfiguration[] },
  { perDay, now }: { readonly perDay: number; readonly now: number },
): ScorePlan {
  const quota = new Quota(known.asked, perDay, now);
  const kept = new Map<string, ScoreSet>();
  for (const set of known.sets) {
    if (now - set.chosenAt < day && quota.take(configurationOf(set))) kept.set(placeOf(set), set);
  }
  const bySpend = demands.toSorted(
    (a, b) => b.priceUsdPerHour - a.priceUsdPerHour || (placeOf(a) < placeOf(b) ? -1 : 1),
  );
  for (const demand of bySpend) {
    const place = placeOf(demand);
    if (kept.has(place)) continue;
    const before = known.sets.find((set) => placeOf(set) === place);
    const set = chosenSet(demand, before, quota, now);
    if (set !== undefined) kept.set(place, set);
  }
  const sets = [...kept.values()];
  return {
    sets,
    due: sets.filter((set) => isDue(set, now)),
    dropped: known.sets.filter((set) => !kept.has(placeOf(set))),
  };
}

/** A new set if the quota has room for it, else the one before if that may still be asked for. */
function chosenSet(
  { nodePool, vcpus, instanceTypes, targetCapacity }: ScoreDemand,
  before: ScoreSet | undefined,
  quota: Quota,
  now: number,
): ScoreSet | undefined {
  const chosen = { nodePool, vcpus, instanceTypes, targetCapacity, chosenAt: now };
  const isSame = before !== undefined && configurationOf(before) === configurationOf(chosen);
  if (quota.take(configurationOf(chosen))) return isSame ? { ...before, chosenAt: now } : chosen;
  return before !== undefined && quota.take(configurationOf(before)) ? before : undefined;
}

/** Configurations that may be asked for in any 24 hours. */
class Quota {
  readonly #free: Set<string>;
  #left: number;

  constructor(asked: readonly AskedConfiguration[], perDay: number, now: number) {
    const recent = asked.filter((one) => !isForgotten(one, now));
    this.#free = new Set(recent.map(({ configuration }) => configuration));
    this.#left = perDay - recent.filter(({ firstAt }) => now - firstAt < day).length;
  }

  take(configuration: string): boolean {
    if (this.#free.has(configuration)) return true;
    if (this.#left <= 0) return false;
    this.#left -= 1;
    this.#free.add(configuration);
    return true;
  }
}

function isDue({ triedAt, noSignal }: ScoreSet, now: number): boolean {
  if (triedAt === undefined) return true;
  return now - triedAt >= (noSignal === undefined ? rescoreMilliseconds : noSignalMilliseconds);
}

/** The scores that still hold. */
export function validScores({ scores, scoredAt }: ScoreSet, now: number): ScoreSet["scores"] {
  return scoredAt !== undefined && now - scoredAt < validMilliseconds ? scores : undefined;
}

/** What is known of a configuration once it is asked for now. */
export function askedNow(asked: readonly AskedConfiguration[], configuration: string, now: number): AskedConfiguration {
  const before = asked.find((one) => one.configuration === configuration && !isForgotten(one, now));
  return { configuration, firstAt: before?.firstAt ?? now, lastAt: now };
}

/** EC2 remembers a configuration for a day from when it was last used. */
export function isForgotten({ lastAt }: AskedConfiguration, now: number): boolean {
  return now - lastAt >= day;
}

/** Equal for requests that EC2 counts as one. */
export function configurationOf({ instanceTypes, targetCapacity }: ScoreDemand | ScoreSet): string {
  return shortHash(`${instanceTypes.join()} ${targetCapacity}`, 10);
}

/** Keys of the ConfigMap. */
export function placeOf({ nodePool, vcpus }: Pick<ScoreSet, "nodePool" | "vcpus">): string {
  return `${nodePool}_${vcpus}vcpu`;
}
