import { cheapestCover, dot } from "./linear-program.ts";
import { cheapestZone, demandOfItems, type PackingItem, type PackingProblem } from "./problem.ts";

/**
 * USD per hour that no packing of these items can go below although capacity reservations cost next to nothing, because their places
 * are few: the items' worth, at which nothing that can be bought is worth more than it costs, less the most that the places can hold
 * of it. 0 where there are no reservations: the other bounds are as good then.
 */
export function reservationBoundUsdPerHour(problem: PackingProblem, items: readonly number[]): number {
  const { reservations = [] } = problem;
  if (reservations.length === 0) return 0;
  const demand = demandOfItems(problem, items);
  const columns = problem.columns.flatMap((column, index) => {
    const takers = items.flatMap((item) => problem.items[item] ?? []).filter(({ accepts }) => accepts[index] === 1);
    const zones = takers.reduce((mask, { zoneMask }) => mask | zoneMask, 0);
    const zone = cheapestZone(column, zones);
    if (zone === undefined) return [];
    const price = column.zonePrices[zone] ?? 0;
    return [{ amounts: column.capacity, price, takers, reservation: column.reservation }];
  });
  const bought = columns.filter(({ reservation }) => reservation === undefined);
  const { duals, bound } = cheapestCover(bought, demand);
  const held = reservations.reduce((sum, { nodes }, index) => {
    const ofReservation = columns.filter(({ reservation }) => reservation === index);
    const savings = ofReservation.map(({ amounts, takers, price }) => mostWorth(duals, amounts, takers) - price);
    return sum + nodes * Math.max(0, ...savings);
  }, 0);
  return Math.max(0, bound - held);
}

/**
 * No contents of a node are worth more: what its capacity is worth, and, of each dimension, what the item that is worth most for its
 * share of it would be worth if it filled the node.
 */
function mostWorth(duals: Float64Array, amounts: Float64Array, takers: readonly PackingItem[]): number {
  let most = dot(duals, amounts);
  for (const [dimension, amount] of amounts.entries()) {
    const rates = takers.map(({ requests }) => dot(duals, requests) / (requests[dimension] ?? 0));
    const best = Math.max(0, ...rates.filter((rate) => !Number.isNaN(rate)));
    if (Number.isFinite(best)) most = Math.min(most, amount * best);
  }
  return most;
}
