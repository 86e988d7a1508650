import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { isTime, parseTime } from "../api/time.ts";
import type { Catalog } from "./catalog.ts";
import type { ScoreDemand } from "./placement-score-sets.ts";

const dayMilliseconds = 86_400_000;
/** EC2 scores smaller sets low whatever room there is (serverless-aws §1). */
const fewestTypes = 3;
const mostTypes = 15;

/**
 * What the spot nodes of the last day would be scored by (design §5): for each NodePool and size class the types that were most often among a
 * claim's alternatives, at most fifteen, the cheaper of those that were as often; and how many nodes there are, as a power of two.
 * A claim's alternatives are the types of its own requirements. Groups with fewer than three types have no score.
 */
export function scoreDemands(nodeClaims: readonly NodeClaim[], catalog: Catalog, now: number): readonly ScoreDemand[] {
  const vcpus = new Map(catalog.types.map((facts) => [facts.name, facts.vcpus]));
  const recent = nodeClaims.filter((claim) => isRecentSpot(claim, now));
  const groups = Map.groupBy(recent, ({ metadata: { labels = {} } }) => {
    const size = sizeClass(vcpus.get(labels[label.instanceType] ?? "") ?? 1);
    return JSON.stringify([labels[label.nodePool] ?? "", size]);
  });
  return [...groups.values()].flatMap((claims): readonly ScoreDemand[] => {
    const labels = claims[0]?.metadata.labels ?? {};
    const nodePool = labels[label.nodePool];
    const instanceTypes = usualTypes(claims, catalog);
    if (nodePool === undefined || instanceTypes.length < fewestTypes) return [];
    return [
      {
        nodePool,
        vcpus: sizeClass(vcpus.get(labels[label.instanceType] ?? "") ?? 1),
        instanceTypes: instanceTypes.toSorted(),
        targetCapacity: 2 ** Math.ceil(Math.log2(claims.length)),
        priceUsdPerHour: claims.reduce((sum, claim) => sum + priceOf(claim, catalog), 0),
      },
    ];
  });
}

function isRecentSpot({ metadata: { labels = {}, creationTimestamp = "" } }: NodeClaim, now: number): boolean {
  return (
    labels[label.capacityType] === "spot" &&
    labels[label.instanceType] !== undefined &&
    isTime(creationTimestamp) &&
    now - parseTime(creationTimestamp) < dayMilliseconds
  );
}

function sizeClass(vcpus: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, vcpus)));
}

function usualTypes(claims: readonly NodeClaim[], catalog: Catalog): readonly string[] {
  const times = new Map<string, number>();
  for (const type of claims.flatMap(alternatives)) {
    if (catalog.spotPrices.has(type)) times.set(type, (times.get(type) ?? 0) + 1);
  }
  const price = (type: string) => Math.min(...(catalog.spotPrices.get(type)?.values() ?? []));
  return [...times]
    .sort(([a, timesA], [b, timesB]) => timesB - timesA || price(a) - price(b) || (a < b ? -1 : 1))
    .slice(0, mostTypes)
    .map(([type]) => type);
}

function alternatives({ spec }: NodeClaim): readonly string[] {
  const asked = spec.requirements.find(({ key, operator }) => key === label.instanceType && operator === "In");
  return [...new Set(asked?.values ?? [])];
}

function priceOf({ metadata: { labels = {} } }: NodeClaim, { spotPrices, onDemandPrices }: Catalog): number {
  const type = labels[label.instanceType] ?? "";
  return spotPrices.get(type)?.get(labels[label.zone] ?? "") ?? onDemandPrices.get(type) ?? 0;
}
