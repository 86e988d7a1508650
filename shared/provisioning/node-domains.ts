import { label, wellKnownLabels } from "../api/labels.ts";
import { allows, firstConflict, firstIncompatibility, type Requirements } from "../scheduling/requirements.ts";
import { firstUntolerated } from "../scheduling/taints.ts";
import type { NodeOption, PlanningPools, PoolOptions } from "./node-options.ts";
import { domainsListed, optionsIn } from "./option-domains.ts";
import type { Eligibility } from "./topology-group.ts";
import { withZonesOfIds, type ZoneIds } from "./zone-ids.ts";

/**
 * The domains of a key that new nodes could lie in, as far as a spread constraint's policies count them: those that are listed, by
 * requirements of NodePools and types, or by offerings for sale. Sorted. `isUsable` leaves out what none of its pods fits on.
 */
export function newDomains(
  { pools, zoneIds }: PlanningPools,
  key: string,
  { nodeAlternatives, tolerations }: Eligibility,
  isUsable: (option: NodeOption) => boolean,
): readonly string[] {
  const alternatives = nodeAlternatives?.map((wanted) => withZonesOfIds(wanted, zoneIds)) ?? [new Map()];
  const tolerated = pools.filter(
    ({ taints }) => tolerations === undefined || firstUntolerated(taints, tolerations) === undefined,
  );
  const domains = tolerated.flatMap((pool) =>
    alternatives.flatMap((wanted) => {
      const options = optionsFor(pool, wanted).filter(isUsable);
      return domainsAmong(options, key, wanted, zoneIds);
    }),
  );
  return [...new Set(domains)].sort();
}

function optionsFor(pool: PoolOptions, wanted: Requirements): readonly NodeOption[] {
  if (firstIncompatibility(pool.requirements, wanted, wellKnownLabels) !== undefined) return [];
  return pool.options.filter((option) => firstConflict(option.requirements, wanted) === undefined);
}

/**
 * The domains of a key that nodes from these options could lie in and that the requirements allow, sorted. An option that leaves the
 * label open can have the values that the requirements name, and those that are `known` from elsewhere.
 */
export function domainsAmong(
  options: readonly NodeOption[],
  key: string,
  requirements: Requirements,
  zoneIds: ZoneIds,
  known: readonly string[] = [],
): readonly string[] {
  const wanted = requirements.get(key);
  const domains = new Set(domainsListed(options, key, zoneIds));
  const named = wanted === undefined || wanted.complement ? known : [...known, ...wanted.values];
  for (const domain of named) if (optionsIn(options, key, domain).length > 0) domains.add(domain);
  return [...domains].filter((domain) => wanted === undefined || allows(wanted, domain)).sort();
}

/**
 * Whether a node made from one of the options in these domains could be one that a spread constraint counts; where only the node will
 * tell, it is taken to be. What is found for one list of options and one choice of domains is kept.
 */
export function optionCounter({ pools, zoneIds }: PlanningPools) {
  const taints = new Map(pools.map((pool) => [pool.pool.metadata.name, pool.taints]));
  const known = new WeakMap<readonly NodeOption[], Map<string, boolean>>();
  return (
    options: readonly NodeOption[],
    { eligibility }: { readonly eligibility: Eligibility },
    domains: ReadonlyMap<string, string>,
  ): boolean => {
    const { nodeAlternatives, tolerations } = eligibility;
    if (nodeAlternatives === undefined && tolerations === undefined) return true;
    const answers = known.get(options) ?? new Map<string, boolean>();
    known.set(options, answers);
    const question = `${eligibility.key} ${[...domains].join()}`;
    let answer = answers.get(question);
    if (answer === undefined) {
      const alternatives = nodeAlternatives?.map((wanted) => withZonesOfIds(wanted, zoneIds)) ?? [new Map()];
      answer = options.some(
        (option) =>
          (tolerations === undefined || firstUntolerated(taints.get(option.pool) ?? [], tolerations) === undefined) &&
          alternatives.some((wanted) => mayMeet(option, wanted, domains)),
      );
      answers.set(question, answer);
    }
    return answer;
  };
}

function mayMeet(option: NodeOption, wanted: Requirements, domains: ReadonlyMap<string, string>): boolean {
  if (firstIncompatibility(option.requirements, wanted, wellKnownLabels) !== undefined) return false;
  return [...wanted.values()].every((requirement) => {
    const { key } = requirement;
    const domain = domains.get(key);
    if (domain !== undefined) return allows(requirement, domain);
    return key !== label.zone || option.offerings.some(({ zone }) => allows(requirement, zone));
  });
}
