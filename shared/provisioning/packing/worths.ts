import type { Headroom } from "./headroom.ts";
import { cheapestCover } from "./linear-program.ts";
import { zonesByAcceptance } from "./offers.ts";
import { placesOf, scarcestPlaces } from "./places.ts";
import { cheapestZone, demandOf, type PackingProblem } from "./problem.ts";

/** What things are worth in USD per hour: the duals of the cheapest fractional cover of what is to be placed. */
export interface Worths {
  /** Of a unit of each dimension. */
  readonly ofDimension: Float64Array;
  /** Of a unit of each item: its requests, and that it needs one of the few places that sharing rules leave on a node. */
  readonly ofItem: Float64Array;
  /** Of all such places on one node together. */
  readonly ofPlaces: number;
  /** No packing of these units costs less. */
  readonly bound: number;
}

/**
 * The resource LP over every column that some remaining item could use, with a row for each of the rules that force most nodes: what
 * must be apart is worth a node's share. Reservations are left out where others will do: they cost next to nothing, and what goes into
 * them is worth what it would cost elsewhere.
 */
export function worthsOf(problem: PackingProblem, remaining: Int32Array, headroom: Headroom): Worths {
  const places = scarcestPlaces(problem, remaining);
  const accepted = [...zonesByAcceptance(problem, remaining)];
  const zonesFor = (column: number) =>
    accepted.reduce((mask, [accepts, zones]) => (accepts[column] === 1 ? mask | zones : mask), 0);
  const columns = problem.columns.flatMap((column, index) => {
    const zone = cheapestZone(column, headroom.zonesLeft(column, zonesFor(index)));
    if (zone === undefined) return [];
    const amounts = Float64Array.from([...column.capacity, ...places.map(({ perNode }) => perNode)]);
    return [{ amounts, price: column.zonePrices[zone] ?? 0, reservation: column.reservation }];
  });
  const bought = columns.filter(({ reservation }) => reservation === undefined);
  const demand = Float64Array.from([...demandOf(problem, remaining), ...places.map(({ wanted }) => wanted)]);
  const { duals, bound } = cheapestCover(bought.length > 0 ? bought : columns, demand);
  const ofDimension = duals.subarray(0, problem.dimensions.length);
  const ofPlace = duals.subarray(problem.dimensions.length);
  const ofItem = Float64Array.from(problem.items, ({ requests }, item) => {
    let worth = leastWorthUsdPerHour;
    for (let dimension = 0; dimension < requests.length; dimension++) {
      worth += (requests[dimension] ?? 0) * (ofDimension[dimension] ?? 0);
    }
    for (const [index, { rule }] of places.entries()) worth += placesOf(rule, item) * (ofPlace[index] ?? 0);
    return worth;
  });
  const ofPlaces = places.reduce((sum, { perNode }, index) => sum + perNode * (ofPlace[index] ?? 0), 0);
  return { ofDimension, ofItem, ofPlaces, bound };
}

/** What asks only for what is not scarce is worth placing, too. */
const leastWorthUsdPerHour = 1e-9;
