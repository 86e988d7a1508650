import { type SpotFleetCount, spotLimits, spreadSpot } from "../cloud/spot-spread.ts";
import type { NewDemand, Unit } from "./new-demand.ts";
import { sumOfCharges } from "./node-cost.ts";
import { pack } from "./packing/packer.ts";
import { addContents, type Packing, packingOf } from "./packing/problem.ts";
import { remainder, together } from "./packing/remainder.ts";
import { type CapFinder, type PackingContext, type PosedProblem, poseProblem } from "./packing-problem.ts";
import { type ClaimDraft, claimDrafts } from "./planned-claims.ts";
import { spotCaps } from "./spot-caps.ts";
import { hasEnoughOfferings, spotOfferingRules } from "./spot-offerings.ts";

/** What a plan wants of its spot nodes beside a low price (design §4.1, step 7). */
export interface SpotWishes {
  readonly fleet: readonly SpotFleetCount[];
  /** Setting `spotSpreadShare`; 1: nothing. */
  readonly spreadShare: number;
  /** Setting `spotMinOfferings`; 0: nothing. */
  readonly minOfferings: number;
}

/** A packing with its claims. */
export interface PackedClaims {
  readonly posed: PosedProblem;
  readonly packing: Packing;
  readonly claims: readonly ClaimDraft[];
}

/** Claims that keep the wishes, and what each adds to the cost. */
export interface SpotClaims {
  readonly claims: readonly ClaimDraft[];
  readonly spotFlexibilityUsdPerHour: number;
  readonly spotSpreadUsdPerHour: number;
}

/** Demand in units, to be packed with all that is around it. */
export interface PackingTask {
  readonly demands: readonly NewDemand[];
  readonly units: readonly Unit[];
  readonly context: PackingContext;
}

/** At the lowest cost found, whatever becomes of spot nodes. */
export function packClaims({ demands, units, context }: PackingTask): PackedClaims {
  const posed = poseProblem(demands, units, context);
  const packing = pack(posed.problem);
  return { posed, packing, claims: claimDrafts(posed, packing, demands, context.pools) };
}

/** Instances, volumes and charges. */
export function costOfClaims(claims: readonly ClaimDraft[]): number {
  return claims.reduce(
    (sum, { offerings: [best], pool }) => sum + best.priceUsdPerHour + sumOfCharges(pool.nodeCharges),
    0,
  );
}

/**
 * Changes a packing so that it keeps the wishes, as cheaply as is found. A packing that places fewer pods, or costs more than moving
 * nodes to other offerings does, is not taken; where some pods have no place, nodes are only moved.
 */
export function withSpotWishes(task: PackingTask, cheapest: PackedClaims, wishes: SpotWishes): SpotClaims {
  if (!isComplete(cheapest.packing)) {
    const { claims, extraUsdPerHour } = spreadSpot(cheapest.claims, wishes.fleet, wishes.spreadShare);
    return { claims, spotFlexibilityUsdPerHour: 0, spotSpreadUsdPerHour: extraUsdPerHour };
  }
  const flexible = withEnoughOfferings(task, cheapest, wishes.minOfferings) ?? cheapest;
  const flexibleUsdPerHour = costOfClaims(flexible.claims);
  const claims = spreadOut(task, flexible.claims, wishes);
  return {
    claims,
    spotFlexibilityUsdPerHour: Math.max(0, flexibleUsdPerHour - costOfClaims(cheapest.claims)),
    spotSpreadUsdPerHour: Math.max(0, costOfClaims(claims) - flexibleUsdPerHour),
  };
}

/** Packs those nodes again, and only those, that too few spot offerings could stand in for; undefined where that is not found to be possible. */
function withEnoughOfferings(
  { demands, context }: PackingTask,
  packed: PackedClaims,
  least: number,
): PackedClaims | undefined {
  const { posed, packing, claims } = packed;
  const few = packing.nodes.filter((_, index) => isShort(claims[index], least));
  if (few.length === 0) return packed;
  const rules = spotOfferingRules(posed, packing, few, demands, least);
  const wanting = new Set(few.filter((node) => !hasEnoughOfferings(posed.problem, rules, node)));
  if (wanting.size === 0) return packed;
  const nodes = packing.nodes.filter((node) => !wanting.has(node));
  const unplaced = new Int32Array(packing.unplaced.length);
  for (const { contents } of wanting) addContents(unplaced, contents);
  const kept = packingOf(nodes, unplaced);
  const problem = { ...posed.problem, rules: [...posed.problem.rules, ...rules] };
  const again = pack(remainder(problem, kept));
  if (!isComplete(again)) return undefined;
  const flexible = together(kept, again);
  return { posed, packing: flexible, claims: claimDrafts(posed, flexible, demands, context.pools) };
}

/** Whether a claim is for a spot node and lists fewer spot offerings than wanted: most list many more. */
function isShort(claim: ClaimDraft | undefined, least: number): boolean {
  if (claim === undefined || claim.offerings[0].capacityType !== "spot") return false;
  const choosable = claim.offerings.slice(0, claim.choosable);
  return choosable.filter(({ capacityType }) => capacityType === "spot").length < least;
}

/** The number of nodes changes with their sizes, and with it how many one offering may have: two rounds find most of it. */
const [leastRounds, mostRounds] = [2, 3];
/** A smaller share of the cost is not worth another packing. */
const worthwhileShare = 0.0005;

/** Claims spread over spot pools: on other offerings for the same pods, or, where that costs much, packed again under caps. */
function spreadOut(
  task: PackingTask,
  claims: readonly ClaimDraft[],
  { fleet, spreadShare, minOfferings }: SpotWishes,
): readonly ClaimDraft[] {
  const worthwhile = worthwhileShare * costOfClaims(claims);
  const enough = costOfClaims(claims) + worthwhile;
  let best = spreadSpot(claims, fleet, spreadShare).claims;
  let lowest = costOfClaims(best);
  let sized = claims;
  let tried = "";
  for (let round = 0; round < mostRounds && lowest > enough; round++) {
    const limits = spotLimits(sized, fleet, spreadShare);
    const key = JSON.stringify([
      limits.ofPlan,
      task.context.pools.map(({ pool }) => limits.ofPool(pool.metadata.name)),
    ]);
    if (key === tried) break;
    tried = key;
    const capped = packCapped(task, (options, zones) => spotCaps(limits, options, zones));
    if (capped === undefined) break;
    const flexible = withEnoughOfferings(task, capped, minOfferings);
    if (flexible === undefined) break;
    sized = flexible.claims;
    const spread = spreadSpot(sized, fleet, spreadShare).claims;
    const gain = lowest - costOfClaims(spread);
    if (gain > 0) [best, lowest] = [spread, lowest - gain];
    if (round + 1 >= leastRounds && gain < worthwhile) break;
  }
  return best;
}

/** A packing under caps, and beyond them for what they leave no place; undefined where that does not place all. */
function packCapped({ demands, units, context }: PackingTask, caps: CapFinder): PackedClaims | undefined {
  const posed = poseProblem(demands, units, context, caps);
  const { offeringCaps: _, ...problem } = posed.problem;
  let packing = pack(posed.problem);
  if (!isComplete(packing)) {
    const columns = problem.columns.map(({ capsByZone: _caps, ...column }) => column);
    packing = together(packing, pack(remainder({ ...problem, columns }, packing)));
  }
  if (!isComplete(packing)) return undefined;
  return { posed, packing, claims: claimDrafts(posed, packing, demands, context.pools) };
}

function isComplete({ unplaced }: Packing): boolean {
  return unplaced.every((count) => count === 0);
}
