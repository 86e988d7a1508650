import type { OfferingCaps, Packing, PackingProblem } from "./problem.ts";

/** What a packing leaves over, as a problem of its own: with the room that its nodes leave in the limits and reservations. */
export function remainder(problem: PackingProblem, packing: Packing): PackingProblem {
  const columns = packing.nodes.flatMap(({ column }) => problem.columns[column] ?? []);
  const reservations = problem.reservations?.map((reservation, index) => ({
    ...reservation,
    nodes: reservation.nodes - columns.filter((column) => column.reservation === index).length,
  }));
  return {
    ...problem,
    items: problem.items.map((item, index) => ({ ...item, count: packing.unplaced[index] ?? 0 })),
    pools: problem.pools.map((pool, index) => ({
      ...pool,
      headroom: pool.headroom.map((left, dimension) =>
        columns.reduce((sum, { pool: of, limitUse }) => (of === index ? sum - (limitUse[dimension] ?? 0) : sum), left),
      ),
    })),
    ...(reservations === undefined ? {} : { reservations }),
    ...(problem.offeringCaps === undefined ? {} : { offeringCaps: capsLeft(problem, problem.offeringCaps, packing) }),
  };
}

function capsLeft({ columns }: PackingProblem, caps: OfferingCaps, { nodes }: Packing): OfferingCaps {
  const left = Float64Array.from(caps.nodes);
  for (const { column, zone } of nodes) {
    for (const cap of columns[column]?.capsByZone?.[zone] ?? []) left[cap] = (left[cap] ?? 0) - 1;
  }
  return { ...caps, nodes: left };
}

/** A packing and one of its {@link remainder}. */
export function together(packing: Packing, rest: Packing): Packing {
  return {
    nodes: [...packing.nodes, ...rest.nodes],
    unplaced: rest.unplaced,
    priceUsdPerHour: packing.priceUsdPerHour + rest.priceUsdPerHour,
  };
}
