import type { NodeOption } from "./node-options.ts";
import type { OptionHolder } from "./packing/problem.ts";
import { toVector } from "./packing-columns.ts";

/** Which options items accept. Most items share their list with many others. */
export interface Acceptance {
  /** By item, the number of its list; -1 where it has none. */
  readonly listOfItem: Int32Array;
  readonly lists: readonly ReadonlySet<NodeOption>[];
}

/** `optionsByItem`: undefined where an item does not matter. */
export function acceptanceOf(optionsByItem: readonly (readonly NodeOption[] | undefined)[]): Acceptance {
  const numbers = new Map<readonly NodeOption[], number>();
  const listOfItem = Int32Array.from(optionsByItem, (options) => {
    if (options === undefined) return -1;
    const number = numbers.get(options) ?? numbers.size;
    numbers.set(options, number);
    return number;
  });
  return { listOfItem, lists: [...numbers.keys()].map((options) => new Set(options)) };
}

/** All options that some item accepts, by NodePool. */
export function acceptedByPool({ lists }: Acceptance): ReadonlyMap<string, readonly NodeOption[]> {
  return Map.groupBy(new Set(lists.flatMap((list) => [...list])), ({ pool }) => pool);
}

/** The largest first: of those few are looked at before enough are found. */
export function largestFirst(options: readonly NodeOption[]): readonly NodeOption[] {
  return options.toSorted(
    (a, b) => (b.free.cpu ?? 0) - (a.free.cpu ?? 0) || (a.instanceType.name < b.instanceType.name ? -1 : 1),
  );
}

/** An option as the packer's rules see it, without the values that it has. */
export function optionHolder(
  option: NodeOption,
  { lists }: Acceptance,
  dimensions: readonly string[],
  zones: readonly string[],
): Omit<OptionHolder, "values"> {
  const sold = new Set(option.offerings.map(({ zone }) => zone));
  return {
    capacity: toVector(option.free, dimensions),
    zoneMask: zones.reduce((mask, zone, index) => (sold.has(zone) ? mask | (1 << index) : mask), 0),
    accepts: Uint8Array.from(lists, (list) => (list.has(option) ? 1 : 0)),
  };
}
