import {
  DescribeAvailabilityZonesCommand,
  type EC2Client,
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeInstanceTypes,
  paginateDescribeSpotPriceHistory,
  paginateGetSpotPlacementScores,
} from "@aws-sdk/client-ec2";
import type { PricingClient } from "@aws-sdk/client-pricing";
import { type CatalogPort, noPriceListCode, type PlacementScoreRequest } from "../../account-ports.ts";
import type { InstanceTypeFacts } from "../../cloud/catalog.ts";
import { ProviderError, type TelemetryPort } from "../../ports.ts";
import { awsErrorFacts } from "./aws-error.ts";
import { ec2Failure } from "./ec2-failure.ts";
import { instanceTypeFacts } from "./instance-type-facts.ts";
import { endingPages, isPrice } from "./pages.ts";
import { onDemandPrices } from "./price-list.ts";

export interface CatalogPortOptions {
  readonly client: EC2Client;
  /** Of a region that has a price list; see `priceListRegion`. Absent: the account has no way to it, and each look fails with `NoPriceList`. */
  readonly pricing?: PricingClient;
  readonly region: string;
  readonly telemetry: Pick<TelemetryPort, "log">;
  readonly now: () => number;
}

/** {@link CatalogPort} on the AWS SDK. */
export function catalogPort({ client, pricing, region, telemetry, now }: CatalogPortOptions): CatalogPort {
  return {
    async zones() {
      const command = new DescribeAvailabilityZonesCommand({ Filters: [{ Name: "region-name", Values: [region] }] });
      const { AvailabilityZones } = await client.send(command).catch(ec2Failure("DescribeAvailabilityZones"));
      return (AvailabilityZones ?? []).flatMap(({ ZoneName: name, ZoneId: id }) => (name && id ? [{ name, id }] : []));
    },
    async instanceTypes() {
      const found: InstanceTypeFacts[] = [];
      const unreadable: string[] = [];
      const pages = paginateDescribeInstanceTypes({ client, pageSize: 100 }, { Filters: hvmOnOurArchitectures });
      await eachPage(pages, "DescribeInstanceTypes", ({ InstanceTypes }) => {
        for (const info of InstanceTypes ?? []) {
          const facts = instanceTypeFacts(info);
          if (facts === undefined) unreadable.push(info.InstanceType ?? "without a name");
          else found.push(facts);
        }
      });
      if (unreadable.length > 0)
        telemetry.log("warn", "instance types that cannot be read are left out", { unreadable });
      return found;
    },
    async zonesByType() {
      const found = new Map<string, string[]>();
      const pages = paginateDescribeInstanceTypeOfferings(
        { client, pageSize: 1_000 },
        { LocationType: "availability-zone" },
      );
      await eachPage(pages, "DescribeInstanceTypeOfferings", ({ InstanceTypeOfferings }) => {
        for (const { InstanceType, Location } of InstanceTypeOfferings ?? []) {
          if (InstanceType === undefined || Location === undefined) continue;
          found.set(InstanceType, [...(found.get(InstanceType) ?? []), Location]);
        }
      });
      return found;
    },
    async onDemandPrices() {
      if (pricing === undefined) throw new ProviderError("Denied", noPriceListCode, noPriceList);
      return await onDemandPrices(pricing, region);
    },
    spotPrices: () => spotPrices(client, now()),
    placementScores: (request) => placementScores(client, region, request),
  };
}

const noPriceList =
  "no price list is asked from an isolated VPC, or tells the prices of this region: on-demand prices are the embedded ones of us-east-1";

const hvmOnOurArchitectures = [
  { Name: "supported-virtualization-type", Values: ["hvm"] },
  { Name: "processor-info.supported-architecture", Values: ["x86_64", "arm64"] },
];

/** All that hold at one moment: EC2 also gives the last change before it. */
async function spotPrices(client: EC2Client, now: number): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const prices = new Map<string, Map<string, number>>();
  const since = new Map<string, number>();
  const pages = paginateDescribeSpotPriceHistory(
    { client, pageSize: 1_000 },
    { StartTime: new Date(now), ProductDescriptions: ["Linux/UNIX", "Linux/UNIX (Amazon VPC)"] },
  );
  await eachPage(pages, "DescribeSpotPriceHistory", ({ SpotPriceHistory }) => {
    for (const { InstanceType, AvailabilityZone, SpotPrice, Timestamp } of SpotPriceHistory ?? []) {
      const price = Number(SpotPrice);
      if (InstanceType === undefined || AvailabilityZone === undefined || !isPrice(price)) continue;
      const key = `${InstanceType}/${AvailabilityZone}`;
      const at = Timestamp?.getTime() ?? 0;
      if (at < (since.get(key) ?? Number.NEGATIVE_INFINITY)) continue;
      since.set(key, at);
      const byZone = prices.get(InstanceType) ?? new Map<string, number>();
      prices.set(InstanceType, byZone.set(AvailabilityZone, price));
    }
  });
  return prices;
}

async function placementScores(
  client: EC2Client,
  region: string,
  { instanceTypes, targetCapacity }: PlacementScoreRequest,
): ReturnType<CatalogPort["placementScores"]> {
  const byZoneId = new Map<string, number>();
  const pages = paginateGetSpotPlacementScores(
    { client },
    {
      InstanceTypes: [...instanceTypes],
      TargetCapacity: targetCapacity,
      TargetCapacityUnitType: "units",
      SingleAvailabilityZone: true,
      RegionNames: [region],
    },
  );
  try {
    for await (const { SpotPlacementScores } of pages) {
      for (const { AvailabilityZoneId, Score } of SpotPlacementScores ?? []) {
        if (AvailabilityZoneId !== undefined && Score !== undefined) byZoneId.set(AvailabilityZoneId, Score);
      }
    }
  } catch (error) {
    const { code, message } = awsErrorFacts(error);
    if (noSignal.test(code)) return { kind: "no-signal", code, message };
    return ec2Failure("GetSpotPlacementScores")(error);
  }
  return { kind: "scores", byZoneId };
}

/** With and without the word that the documentation ends them in. */
const noSignal = /^(MaxConfigLimitExceeded|TargetCapacityLimitExceeded)(Exception)?$/;

/** A failure on any page is that of the call, and so is an answer without an end. */
async function eachPage<Page>(pages: AsyncIterable<Page>, what: string, read: (page: Page) => void): Promise<void> {
  try {
    for await (const page of endingPages(pages, what)) read(page);
  } catch (error) {
    ec2Failure(what)(error);
  }
}
