import { label } from "../api/labels.ts";
import { allows } from "../scheduling/requirements.ts";
import type { NodeOption } from "./node-options.ts";
import type { ZoneIds } from "./zone-ids.ts";

/** What is asked of the same list of options for class after class; kept as long as the list is. */
interface Known {
  readonly listed: Map<string, readonly string[]>;
  readonly byDomain: Map<string, readonly NodeOption[]>;
  readonly cpuPrices: Map<string, number>;
}

const knownOf = new WeakMap<readonly NodeOption[], Known>();

function known(options: readonly NodeOption[]): Known {
  const found = knownOf.get(options) ?? { listed: new Map(), byDomain: new Map(), cpuPrices: new Map() };
  knownOf.set(options, found);
  return found;
}

/** The zones in which options are sold. */
export function zonesSold(options: readonly NodeOption[]): readonly string[] {
  return domainsListed(options, label.zone, noZoneIds);
}

/** The domains of a key that options list, by requirements or by offerings for sale. */
export function domainsListed(options: readonly NodeOption[], key: string, zoneIds: ZoneIds): readonly string[] {
  if (key === label.zoneId) return zonesSold(options).flatMap((zone) => zoneIds.get(zone) ?? []);
  const { listed } = known(options);
  let domains = listed.get(key);
  if (domains === undefined) {
    const found = new Set<string>();
    for (const option of options) for (const domain of listedBy(option, key)) found.add(domain);
    domains = [...found];
    listed.set(key, domains);
  }
  return domains;
}

function listedBy(option: NodeOption, key: string): Iterable<string> {
  if (key === label.zone) return option.offerings.map(({ zone }) => zone);
  const requirement = option.requirements.get(key);
  return requirement === undefined || requirement.complement ? [] : requirement.values;
}

const noZoneIds: ZoneIds = new Map();

/** Those of the options that may lie in a domain; the same list for all who ask. */
export function optionsIn(options: readonly NodeOption[], key: string, domain: string): readonly NodeOption[] {
  const { byDomain } = known(options);
  const name = `${key}=${domain}`;
  let inDomain = byDomain.get(name);
  if (inDomain === undefined) {
    inDomain = options.filter((option) => mayLieIn(option, key, domain));
    if (inDomain.length === options.length) inDomain = options;
    byDomain.set(name, inDomain);
  }
  return inDomain;
}

/** The lowest price of a CPU in a zone: all zones have much the same types, and pods of other classes will share the nodes. */
export function cpuPriceIn(options: readonly NodeOption[], zone: string): number {
  const { cpuPrices } = known(options);
  let lowest = cpuPrices.get(zone);
  if (lowest === undefined) {
    lowest = Number.POSITIVE_INFINITY;
    for (const { offerings, free } of optionsIn(options, label.zone, zone)) {
      for (const offering of offerings) {
        if (offering.zone === zone) lowest = Math.min(lowest, offering.priceUsdPerHour / Math.max(1, free.cpu ?? 0));
      }
    }
    cpuPrices.set(zone, lowest);
  }
  return lowest;
}

/** Whether a node from this option can have this value of the label: it lists it, or leaves the value open. */
function mayLieIn(option: NodeOption, key: string, domain: string): boolean {
  if (key === label.zone) return option.offerings.some(({ zone }) => zone === domain);
  const requirement = option.requirements.get(key);
  return requirement !== undefined && allows(requirement, domain);
}
