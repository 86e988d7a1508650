import type { InstanceTypeFacts } from "../../../shared/cloud/catalog.ts";
import { Ec2ApiError } from "../../../shared/simulator/ec2-api-error.ts";
import { matchesEc2Filters } from "../../../shared/simulator/ec2-filters.ts";
import type { Ec2Action, WireCloud } from "./cloud.ts";
import { instanceTypeElement } from "./instance-type-element.ts";
import { pageOf } from "./paging.ts";
import type { XmlValue } from "./xml.ts";

export const catalogActions: Readonly<Record<string, Ec2Action>> = {
  DescribeInstanceTypes: (cloud, form) =>
    cloud.ec2.read("DescribeInstanceTypes", () => {
      const wanted = form.texts("InstanceType");
      const all = [
        ...cloud.catalog.types.map((facts) => sold(cloud, facts)),
        ...(cloud.otherInstanceTypes ?? []),
      ].filter(
        (element) =>
          (wanted?.includes(String(element.instanceType)) ?? true) &&
          matchesEc2Filters({ values: instanceTypeValues(element), tags: {} }, form.filters()),
      );
      const { items, nextToken } = pageOf(all, form, cloud, 100);
      return { instanceTypeSet: items, nextToken };
    }),

  DescribeInstanceTypeOfferings: (cloud, form) =>
    cloud.ec2.read("DescribeInstanceTypeOfferings", () => {
      const locationType = form.text("LocationType") ?? "region";
      const idOf = new Map(cloud.account.zones.map(({ name, id }) => [name, id]));
      const locations = (zones: readonly string[]) => {
        switch (locationType) {
          case "region":
            return [cloud.account.region];
          case "availability-zone":
            return zones;
          case "availability-zone-id":
            return zones.map((zone) => idOf.get(zone) ?? "");
          default:
            throw new Ec2ApiError("InvalidParameterValue", `The location type '${locationType}' is invalid`);
        }
      };
      const all = [...cloud.catalog.zonesByType]
        .flatMap(([instanceType, zones]) =>
          locations(zones).map((location) => ({ instanceType, locationType, location })),
        )
        .filter(({ instanceType, location }) =>
          matchesEc2Filters({ values: { "instance-type": instanceType, location }, tags: {} }, form.filters()),
        );
      const { items, nextToken } = pageOf(all, form, cloud);
      return { instanceTypeOfferingSet: items, nextToken };
    }),

  DescribeAvailabilityZones: (cloud, form) =>
    cloud.ec2.read("DescribeAvailabilityZones", () => {
      const all = cloud.account.zones
        .map((zone) => zoneElement(cloud, zone))
        .filter((zone) => {
          const values = {
            "zone-name": zone.zoneName,
            "zone-id": zone.zoneId,
            "zone-type": zone.zoneType,
            "opt-in-status": zone.optInStatus,
            "region-name": zone.regionName,
            state: zone.zoneState,
          };
          return matchesEc2Filters({ values, tags: {} }, form.filters());
        });
      return { availabilityZoneInfo: all };
    }),

  DescribeSpotPriceHistory: (cloud, form) =>
    cloud.ec2.read("DescribeSpotPriceHistory", () => {
      const from = Date.parse(form.text("StartTime") ?? new Date(0).toISOString());
      const products = form.texts("ProductDescription");
      const types = form.texts("InstanceType");
      const idOf = new Map(cloud.account.zones.map(({ name, id }) => [name, id]));
      const all = [...cloud.catalog.spotPrices]
        .filter(([instanceType]) => types?.includes(instanceType) ?? true)
        .flatMap(([instanceType, byZone]) =>
          [...byZone].flatMap(([availabilityZone, price]) =>
            priceChanges(price, cloud.now(), from).map((change) => ({
              ...change,
              instanceType,
              availabilityZone,
              availabilityZoneId: idOf.get(availabilityZone),
            })),
          ),
        )
        .filter(({ productDescription }) => products?.includes(productDescription) ?? true)
        .sort((a, b) => (a.timestamp > b.timestamp ? -1 : a.timestamp < b.timestamp ? 1 : 0));
      const { items, nextToken } = pageOf(all, form, cloud);
      return { spotPriceHistorySet: items, nextToken: nextToken ?? "" };
    }),

  GetSpotPlacementScores: (cloud, form) =>
    cloud.ec2.read("GetSpotPlacementScores", () => {
      const request = {
        instanceTypes: form.texts("InstanceType") ?? [],
        targetCapacity: form.number("TargetCapacity") ?? 0,
      };
      const { region } = cloud.account;
      const scores = cloud.placementScores.scores(request, cloud.now());
      if (form.flag("SingleAvailabilityZone")) {
        const zones = [...scores].map(([availabilityZoneId, score]) => ({ region, availabilityZoneId, score }));
        return { spotPlacementScoreSet: zones };
      }
      return { spotPlacementScoreSet: [{ region, score: Math.max(...scores.values()) }] };
    }),
};

function sold({ catalog }: WireCloud, facts: InstanceTypeFacts): { readonly [name: string]: XmlValue } {
  return instanceTypeElement(facts, { isSpot: catalog.spotPrices.has(facts.name) });
}

function instanceTypeValues(element: { readonly [name: string]: XmlValue }) {
  const processor = element.processorInfo as { readonly supportedArchitectures?: readonly string[] } | undefined;
  return {
    "instance-type": String(element.instanceType),
    "supported-virtualization-type": element.supportedVirtualizationTypes as readonly string[] | undefined,
    "processor-info.supported-architecture": processor?.supportedArchitectures,
    "bare-metal": String(element.bareMetal),
    "current-generation": String(element.currentGeneration),
    hypervisor: element.hypervisor as string | undefined,
  };
}

function zoneElement({ account }: WireCloud, { name, id }: { readonly name: string; readonly id: string }) {
  return {
    zoneName: name,
    zoneId: id,
    zoneState: "available",
    zoneType: "availability-zone",
    optInStatus: "opt-in-not-required",
    regionName: account.region,
  };
}

/** The changes of a pool's price since `from`, and the one before, which still held then. */
function priceChanges(price: number, now: number, from: number) {
  const latest = { at: now - 3_600_000, factor: 1 };
  const earlier = { at: now - 30 * 3_600_000, factor: 1.5 };
  const changes = from > latest.at ? [latest] : [latest, earlier];
  return ["Linux/UNIX", "Windows"].flatMap((productDescription) =>
    changes.map(({ at, factor }) => ({
      productDescription,
      spotPrice: (price * factor * (productDescription === "Windows" ? 2 : 1)).toFixed(6),
      timestamp: new Date(at).toISOString(),
    })),
  );
}
