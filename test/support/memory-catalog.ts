import type { CatalogPort, PlacementScoreAnswer, PlacementScoreRequest, Zone } from "../../shared/account-ports.ts";
import type { Catalog } from "../../shared/cloud/catalog.ts";
import { type CatalogPorts, refreshCatalog } from "../../shared/controllers/catalog.ts";
import { readCatalog } from "../../shared/controllers/catalog-store.ts";
import { ProviderError } from "../../shared/ports.ts";
import { controllerWorld } from "./controller-world.ts";
import { smallCatalog } from "./simulated-account.ts";

/** A region that the test fills and changes. */
class MemoryCatalog implements CatalogPort {
  catalog: Catalog = smallCatalog();
  zonesOfAccount: readonly Zone[] = this.catalog.zones.map((name, index) => ({ name, id: `use1-az${6 - index}` }));
  scores: (request: PlacementScoreRequest) => PlacementScoreAnswer = () => ({ kind: "scores", byZoneId: new Map() });
  /** Calls that fail with the code, until they are taken out. */
  readonly failing = new Map<keyof CatalogPort, string>();
  readonly calls: (keyof CatalogPort)[] = [];
  readonly scoreRequests: PlacementScoreRequest[] = [];

  zones = () => this.#answer("zones", this.zonesOfAccount);
  instanceTypes = () => this.#answer("instanceTypes", this.catalog.types);
  zonesByType = () => this.#answer("zonesByType", this.catalog.zonesByType);
  onDemandPrices = () => this.#answer("onDemandPrices", this.catalog.onDemandPrices);
  spotPrices = () => this.#answer("spotPrices", this.catalog.spotPrices);
  placementScores = (request: PlacementScoreRequest) => {
    this.scoreRequests.push(request);
    return this.#answer("placementScores", this.scores(request));
  };

  async #answer<T>(call: keyof CatalogPort, value: T): Promise<T> {
    this.calls.push(call);
    const code = this.failing.get(call);
    if (code !== undefined) throw new ProviderError("Unknown", code, `${call}: ${code}`);
    return value;
  }
}

export type CatalogWorld = ReturnType<typeof catalogWorld>;

/** The catalog controller's world. */
export function catalogWorld() {
  const world = controllerWorld();
  const region = new MemoryCatalog();
  const ports: CatalogPorts = { ...world.ports, catalog: region };
  const reference = { name: "journeyman-catalog", namespace: "journeyman" };
  return {
    ...world,
    ports,
    region,
    refresh: () => refreshCatalog(ports, world.settings),
    /** As planning reads it. */
    read: () => readCatalog(ports, world.settings),
    stored: () => world.server.get("ConfigMap", reference),
    patchStored: (patch: Readonly<Record<string, unknown>>) => world.server.patch("ConfigMap", reference, patch),
    warnings: () => world.telemetry.lines.filter(({ level }) => level === "warn").map(({ message }) => message),
  };
}
