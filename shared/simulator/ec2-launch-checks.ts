import type { Catalog } from "../cloud/catalog.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";
import type { LaunchRequest } from "./ec2-instance.ts";

/** What a valid request resolves to. */
interface ResolvedLaunch {
  readonly zone: string;
  readonly priceUsdPerHour: number;
}

/** Refuses what EC2 refuses before it looks for capacity, with EC2's codes. `subnets` gives the zone of each subnet. */
export function resolveLaunch(
  request: LaunchRequest,
  catalog: Catalog,
  subnets: ReadonlyMap<string, string>,
): ResolvedLaunch {
  checkParameters(request);
  const zone = subnets.get(request.subnetId);
  if (zone === undefined) {
    throw new Ec2ApiError("InvalidSubnetID.NotFound", `The subnet ID '${request.subnetId}' does not exist`);
  }
  const { instanceType } = request;
  const zonesOfType = catalog.zonesByType.get(instanceType);
  if (zonesOfType === undefined) {
    throw new Ec2ApiError("InvalidParameterValue", `Invalid value '${instanceType}' for InstanceType.`);
  }
  const priceUsdPerHour = zonesOfType.includes(zone) ? priceOf(request, zone, catalog) : undefined;
  if (priceUsdPerHour === undefined) {
    const message = `Your requested instance type (${instanceType}) is not supported in your requested Availability Zone (${zone}).`;
    throw new Ec2ApiError("Unsupported", message);
  }
  return { zone, priceUsdPerHour };
}

function priceOf(request: LaunchRequest, zone: string, catalog: Catalog): number | undefined {
  switch (request.capacityType) {
    case "on-demand":
      return catalog.onDemandPrices.get(request.instanceType);
    case "spot":
      return catalog.spotPrices.get(request.instanceType)?.get(zone);
    case "reserved":
      return 0;
  }
}

function checkParameters(request: LaunchRequest): void {
  const { minCount, maxCount, clientToken, userData, tags } = request;
  if (!(minCount >= 1 && maxCount >= minCount)) {
    throw invalidValue(`MinCount ${minCount} and MaxCount ${maxCount} must be 1 or more, in ascending order`);
  }
  if (clientToken.length > 64) {
    throw invalidValue(`ClientToken has ${clientToken.length} characters; at most 64 are accepted`);
  }
  if (Buffer.byteLength(userData) > 16_384) {
    throw invalidValue("User data is limited to 16384 bytes");
  }
  if (!/^ami-[0-9a-z]+$/.test(request.imageId)) {
    throw new Ec2ApiError("InvalidAMIID.Malformed", `Invalid id: "${request.imageId}" (expecting "ami-...")`);
  }
  checkTags(tags);
}

/** Also for CreateTags. */
export function checkTags(tags: Readonly<Record<string, string>>): void {
  const reserved = Object.keys(tags).find((key) => key.toLowerCase().startsWith("aws:"));
  if (reserved !== undefined) {
    throw invalidValue(`Tag keys starting with 'aws:' are reserved for internal use: ${reserved}`);
  }
  if (Object.keys(tags).length > 50) {
    throw new Ec2ApiError("TagLimitExceeded", "More than 50 tags");
  }
}

function invalidValue(message: string): Ec2ApiError {
  return new Ec2ApiError("InvalidParameterValue", message);
}
