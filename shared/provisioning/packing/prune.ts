import { getOrMake } from "../get-or-make.ts";
import { type Offer, offersByPrice } from "./offers.ts";
import { cheapestZone, isAtLeast, type PackingColumn, type PackingProblem } from "./problem.ts";

/**
 * Indexes of the columns that no other column dominates: same or more of everything, admitting the same or more items, in every
 * zone for the same or less money, and with no fewer nodes to be had. Of equal columns the first stays.
 */
export function undominatedColumns(problem: PackingProblem): readonly number[] {
  const acceptance = new Acceptance(problem);
  const byPool = Map.groupBy(problem.columns.keys(), (index) => problem.columns[index]?.pool);
  return [...byPool.values()].flatMap((own) => undominatedIn(problem, own, acceptance)).sort((a, b) => a - b);
}

/** A column of one NodePool never dominates one of another: columns are compared within a pool alone. */
function undominatedIn(problem: PackingProblem, own: readonly number[], acceptance: Acceptance): readonly number[] {
  const prices = new Map(own.map((index) => [index, lowestPrice(problem, index)]));
  const order = own.toSorted((a, b) => (prices.get(a) ?? 0) - (prices.get(b) ?? 0) || a - b);
  const kept: number[] = [];
  for (const index of order) {
    const found = dominatorIn(problem, kept, acceptance, index);
    if (found === -1) kept.push(index);
    // What dominates one column is likely to dominate the next: the order of the search decides nothing.
    else if (found > 0) kept.unshift(...kept.splice(found, 1));
  }
  return kept;
}

/** Where the column is that makes this one needless; -1 when there is none. Of columns with caps it takes several. */
function dominatorIn(problem: PackingProblem, kept: readonly number[], acceptance: Acceptance, index: number): number {
  let enough = problem.offeringCaps?.enough ?? 1;
  return kept.findIndex((other) => {
    if (!dominates(problem, acceptance, other, index)) return false;
    return problem.columns[other]?.capsByZone === undefined || --enough <= 0;
  });
}

/** Which items the columns admit. There are few different sets of them: two sets are compared once. */
class Acceptance {
  readonly #problem: PackingProblem;
  /** By column, the number of its set of items. */
  readonly #sets: Int32Array;
  readonly #includes = new Map<number, boolean>();

  constructor(problem: PackingProblem) {
    this.#problem = problem;
    this.#sets = new Int32Array(problem.columns.length);
    for (const { accepts } of problem.items) this.#split(accepts);
  }

  /** Whether a column admits all that another does. */
  isAtLeast(better: number, worse: number): boolean {
    const [a, b] = [this.#sets[better] ?? 0, this.#sets[worse] ?? 0];
    if (a === b) return true;
    const key = a * this.#sets.length + b;
    let includes = this.#includes.get(key);
    if (includes === undefined) {
      includes = this.#problem.items.every(({ accepts }) => (accepts[better] ?? 0) >= (accepts[worse] ?? 0));
      this.#includes.set(key, includes);
    }
    return includes;
  }

  /** Sets that an item tells apart get numbers of their own. */
  #split(accepts: Uint8Array): void {
    const numbers = new Map<number, number>();
    for (let column = 0; column < this.#sets.length; column++) {
      const key = 2 * (this.#sets[column] ?? 0) + (accepts[column] ?? 0);
      const known = numbers.get(key) ?? numbers.size;
      if (known === numbers.size) numbers.set(key, known);
      this.#sets[column] = known;
    }
  }
}

function dominates(problem: PackingProblem, acceptance: Acceptance, better: number, worse: number): boolean {
  const a = problem.columns[better];
  const b = problem.columns[worse];
  return (
    a !== undefined &&
    b !== undefined &&
    isAtLeast(b.zonePrices, a.zonePrices) &&
    dominatesAtPrice(problem, acceptance, better, worse)
  );
}

/** But for the prices, which the caller has compared. */
function dominatesAtPrice(problem: PackingProblem, acceptance: Acceptance, better: number, worse: number): boolean {
  const a = problem.columns[better];
  const b = problem.columns[worse];
  return (
    a !== undefined &&
    b !== undefined &&
    (a.reservation === undefined || a.reservation === b.reservation) &&
    isAtLeast(a.capacity, b.capacity) &&
    usesNoMore(problem, a, b) &&
    acceptance.isAtLeast(better, worse)
  );
}

/**
 * Offers by price without those that others make needless: in the same zone, or any where all items agree on the zones, with the same or
 * more of everything. Of capped offers it takes enough for a node each of a set that is sought.
 */
export function undominatedOffers(problem: PackingProblem, nodesOfSet = 1): readonly Offer[] {
  const ofProblem = getOrMake(remembered, problem, () => new Map());
  return getOrMake(ofProblem, nodesOfSet, () => findUndominated(problem, nodesOfSet));
}

const remembered = new WeakMap<PackingProblem, Map<number, readonly Offer[]>>();

function findUndominated(problem: PackingProblem, nodesOfSet: number): readonly Offer[] {
  const acceptance = new Acceptance(problem);
  const isZoneFree = new Set(problem.items.map(({ zoneMask }) => zoneMask)).size <= 1;
  const kept: Offer[] = [];
  /** Those that an offer is compared with: of its pool, and of its zone where zones matter. */
  const keptByPlace = new Map<number, Offer[]>();
  // An offer in a zone that no item may be in makes nothing needless.
  const zonesOfItems = problem.items.reduce((mask, { zoneMask }) => mask | zoneMask, 0);
  for (const offer of offersByPrice(problem)) {
    if ((zonesOfItems & (1 << offer.zone)) === 0) continue;
    const place = offer.column.pool * problem.zones.length + (isZoneFree ? 0 : offer.zone);
    const others = getOrMake(keptByPlace, place, () => []);
    let enough = nodesOfSet + (problem.offeringCaps?.enough ?? 1) - 1;
    const isNeedless = others.some((other) => {
      if (!dominatesAtPrice(problem, acceptance, other.columnIndex, offer.columnIndex)) return false;
      return other.column.capsByZone === undefined || --enough <= 0;
    });
    if (isNeedless) continue;
    kept.push(offer);
    others.push(offer);
  }
  return kept;
}

function usesNoMore(problem: PackingProblem, a: PackingColumn, b: PackingColumn): boolean {
  const headroom = problem.pools[a.pool]?.headroom ?? new Float64Array();
  return headroom.every(
    (left, dimension) =>
      left === Number.POSITIVE_INFINITY || (a.limitUse[dimension] ?? 0) <= (b.limitUse[dimension] ?? 0),
  );
}

function lowestPrice(problem: PackingProblem, index: number): number {
  const column = problem.columns[index];
  const zone = column === undefined ? undefined : cheapestZone(column, -1);
  return zone === undefined ? Number.POSITIVE_INFINITY : (column?.zonePrices[zone] ?? Number.POSITIVE_INFINITY);
}
