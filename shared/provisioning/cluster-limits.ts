import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { parseTime } from "../api/time.ts";
import type { RankedOffering } from "../cloud/ranking.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { claimOfferings } from "./claim-offerings.ts";
import type { RefusalDetail } from "./plan.ts";

const launchWindowMilliseconds = 600_000;

/** What may be launched, and what the cluster's limits hold back. */
export interface LimitedClaims<C> {
  readonly allowed: readonly C[];
  readonly refused: readonly { readonly claim: C; readonly refusal: RefusalDetail }[];
}

/**
 * Keeps a plan within the cluster's blast radius (design rule 9): nodes, price per hour, launches in ten minutes, all NodePools
 * together. Claims are admitted in the plan's order; leaving nodes count, because they run and cost money.
 */
export function withinClusterLimits<C extends { readonly offerings: readonly [RankedOffering, ...RankedOffering[]] }>(
  claims: readonly C[],
  snapshot: Snapshot,
): LimitedClaims<C> {
  const { maxNodes, maxPriceUsdPerHour, maxLaunchesPerTenMinutes } = snapshot.settings;
  const recent = snapshot.nodeClaims.filter(
    ({ metadata }) => snapshot.now - createdAt(metadata.creationTimestamp) < launchWindowMilliseconds,
  );
  let nodes = snapshot.nodeClaims.length;
  let launches = recent.length;
  const isPriced = maxPriceUsdPerHour !== undefined;
  let price = isPriced ? snapshot.nodeClaims.reduce((sum, claim) => sum + priceOf(claim, snapshot), 0) : 0;
  const allowed: C[] = [];
  const refused: { claim: C; refusal: RefusalDetail }[] = [];
  for (const claim of claims) {
    const added = claim.offerings[0].priceUsdPerHour;
    const refusal =
      exceeded("maxNodes", nodes + 1, maxNodes) ??
      exceeded("maxPriceUsdPerHour", price + added, maxPriceUsdPerHour) ??
      exceeded("maxLaunchesPerTenMinutes", launches + 1, maxLaunchesPerTenMinutes);
    if (refusal !== undefined) {
      refused.push({ claim, refusal });
      continue;
    }
    allowed.push(claim);
    nodes += 1;
    launches += 1;
    price += added;
  }
  return { allowed, refused };
}

function exceeded(setting: string, wanted: number, limit: number | undefined): RefusalDetail | undefined {
  if (limit === undefined || wanted <= limit) return undefined;
  const needed = Number(wanted.toFixed(4));
  return {
    reason: `the cluster's limit ${setting} is ${limit}, and this node would make it ${needed}`,
    key: `settings.${setting}`,
    found: String(limit),
    accepted: `${needed} or more`,
  };
}

/**
 * Of what was launched, or else of the best offering that suits the claim. A reservation is paid whether used or not: a node on it adds
 * nothing.
 */
function priceOf(claim: NodeClaim, snapshot: Snapshot): number {
  const { catalog } = snapshot;
  const { labels = {}, deletionTimestamp } = claim.metadata;
  const type = labels[label.instanceType];
  if (type === undefined) {
    return deletionTimestamp === undefined ? (claimOfferings(claim, snapshot)[0]?.priceUsdPerHour ?? 0) : 0;
  }
  if (labels[label.capacityType] === "reserved") return 0;
  const price =
    labels[label.capacityType] === "spot"
      ? catalog.spotPrices.get(type)?.get(labels[label.zone] ?? "")
      : catalog.onDemandPrices.get(type);
  return price ?? 0;
}

function createdAt(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : parseTime(timestamp);
}
