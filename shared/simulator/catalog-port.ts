import type { CatalogPort, PlacementScoreAnswer, PlacementScoreRequest, Zone } from "../account-ports.ts";
import type { Catalog } from "../cloud/catalog.ts";
import type { SimulatedEc2 } from "./ec2.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";
import type { PlacementScores } from "./ec2-placement-scores.ts";
import { classifyingErrors } from "./ec2-port.ts";

export interface SimulatedRegion {
  readonly ec2: SimulatedEc2;
  readonly catalog: Catalog;
  readonly zones: readonly Zone[];
  readonly scores: PlacementScores;
  readonly now: () => number;
}

/** What the simulated region sells, within EC2's latency, request buckets and faults. */
export class SimulatedCatalogPort implements CatalogPort {
  readonly #region: SimulatedRegion;

  constructor(region: SimulatedRegion) {
    this.#region = region;
  }

  zones(): Promise<readonly Zone[]> {
    return classifyingErrors(this.#region.ec2.read("DescribeAvailabilityZones", () => this.#region.zones));
  }

  instanceTypes(): Promise<Catalog["types"]> {
    return classifyingErrors(this.#region.ec2.read("DescribeInstanceTypes", () => this.#region.catalog.types));
  }

  zonesByType(): Promise<Catalog["zonesByType"]> {
    const { ec2, catalog } = this.#region;
    return classifyingErrors(ec2.read("DescribeInstanceTypeOfferings", () => catalog.zonesByType));
  }

  /** The price list is another service, which never fails here. */
  onDemandPrices(): Promise<Catalog["onDemandPrices"]> {
    return Promise.resolve(this.#region.catalog.onDemandPrices);
  }

  spotPrices(): Promise<Catalog["spotPrices"]> {
    const { ec2, catalog } = this.#region;
    return classifyingErrors(ec2.read("DescribeSpotPriceHistory", () => catalog.spotPrices));
  }

  placementScores(request: PlacementScoreRequest): Promise<PlacementScoreAnswer> {
    const { ec2, scores, now } = this.#region;
    return classifyingErrors(
      ec2.read("GetSpotPlacementScores", (): PlacementScoreAnswer => {
        try {
          return { kind: "scores", byZoneId: scores.scores(request, now()) };
        } catch (error) {
          if (error instanceof Ec2ApiError) return { kind: "no-signal", code: error.code, message: error.message };
          throw error;
        }
      }),
    );
  }
}

/** Zones with ids in another order, as every account has its own (field-scenarios B3.23). */
export function simulatedZones(names: readonly string[]): readonly Zone[] {
  return names.map((name, index) => ({ name, id: `az${((index + 3) % names.length) + 1}-of-${name.slice(0, -1)}` }));
}
