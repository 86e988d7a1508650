import { type AccountPorts, noPriceListCode } from "../account-ports.ts";
import type { CatalogPart, CatalogParts } from "../cloud/catalog-encoding.ts";
import { catalogParts, isDue, type PartStatus } from "../cloud/published-catalog.ts";
import { metric } from "../metrics.ts";
import { type Ports, ProviderError } from "../ports.ts";
import type { Settings } from "../state/settings.ts";
import { publish, readCatalog, readPublished } from "./catalog-store.ts";
import { withLease } from "./lease.ts";
import { refreshPlacementScores } from "./placement-score-refresh.ts";

export type CatalogPorts = Ports & Pick<AccountPorts, "catalog">;

/**
 * Reads again what is due of what EC2 sells, and publishes it to the cluster. A part that cannot be read stays as it was, with the error
 * beside it and its age as a metric: planning goes on with the last good one. Then sees to the spot placement scores.
 */
export async function refreshCatalog(ports: CatalogPorts, settings: Settings): Promise<void> {
  const lease = { name: "journeyman-catalog", namespace: settings.namespace, durationSeconds: 70 };
  await withLease(ports, lease, async () => {
    await refreshParts(ports, settings);
    const { statuses, bytes, parts } = await readPublished(ports, settings);
    reportAges(ports, statuses);
    const total = [...bytes.values()].reduce((sum, one) => sum + one, 0);
    ports.telemetry.count(metric.configMapBytes, total, { config_map: "catalog" });
    if (parts.zones === undefined) return;
    const catalog = await readCatalog(ports, settings);
    await refreshPlacementScores(ports, settings, { catalog, zones: parts.zones() });
  });
}

async function refreshParts(ports: CatalogPorts, settings: Settings): Promise<void> {
  const published = await readPublished(ports, settings);
  const now = ports.clock.now();
  const due = catalogParts.filter((part) =>
    isDue(part, published.statuses.get(part), !published.missing.includes(part), now),
  );
  if (due.length === 0) return;
  const readings = await Promise.all(due.map((part) => readPart(ports, part)));
  const statuses = new Map<CatalogPart, PartStatus>();
  for (const reading of readings) {
    const { part } = reading;
    const readAt = "read" in reading ? now : published.statuses.get(part)?.readAt;
    const error = "read" in reading ? undefined : reading.error.message;
    statuses.set(part, {
      triedAt: now,
      ...(readAt !== undefined && { readAt }),
      ...(error !== undefined && { error }),
    });
  }
  const parts = Object.assign({}, ...readings.map((reading) => ("read" in reading ? reading.read : {})));
  await publish(ports, settings, { parts, statuses }, published);
}

type Reading =
  | { readonly part: CatalogPart; readonly read: Partial<CatalogParts> }
  | { readonly part: CatalogPart; readonly error: ProviderError };

async function readPart(ports: CatalogPorts, part: CatalogPart): Promise<Reading> {
  try {
    return { part, read: await readFromEc2(ports, part) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { code, message } = error;
    // Where there is no price list to ask, that is no failure.
    if (code !== noPriceListCode) ports.telemetry.count(metric.catalogFailures, 1, { part });
    ports.telemetry.log("warn", "a part of the catalog stays as it is", { part, code, message });
    return { part, error };
  }
}

/** EC2 sells something everywhere: an empty answer is none. */
async function readFromEc2({ catalog }: CatalogPorts, part: CatalogPart): Promise<Partial<CatalogParts>> {
  switch (part) {
    case "zones":
      return { zones: filled(part, await catalog.zones()) };
    case "types": {
      const types = filled(part, await catalog.instanceTypes());
      return { types: types.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
    }
    case "zonesByType":
      return { zonesByType: filled(part, await catalog.zonesByType()) };
    case "onDemandPrices":
      return { onDemandPrices: filled(part, await catalog.onDemandPrices()) };
    case "spotPrices":
      return { spotPrices: filled(part, await catalog.spotPrices()) };
  }
}

function filled<T extends readonly unknown[] | ReadonlyMap<string, unknown>>(part: CatalogPart, answer: T): T {
  const size = "size" in answer ? answer.size : answer.length;
  if (size > 0) return answer;
  throw new ProviderError("Unknown", "EmptyAnswer", `${part}: the answer is empty`);
}

function reportAges({ telemetry, clock }: Ports, statuses: ReadonlyMap<CatalogPart, PartStatus>): void {
  for (const [part, { readAt }] of statuses) {
    if (readAt === undefined) continue;
    telemetry.count(metric.catalogAgeSeconds, Math.round((clock.now() - readAt) / 1_000), { part });
  }
}
