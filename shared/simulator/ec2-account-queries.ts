import type { Ec2Filter, PlacementGroup } from "../account-ports.ts";
import type {
  AccountImage,
  AccountReservation,
  AccountSecurityGroup,
  AccountSubnet,
  SimulatedAccount,
} from "./ec2-account.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";
import { type Filterable, matchesEc2Filters } from "./ec2-filters.ts";

/** What a Describe call is asked: ids that must all exist, and filters that all must hold. */
export interface AccountQuery {
  readonly ids?: readonly string[];
  readonly filters?: readonly Ec2Filter[];
}

/** Throws `InvalidSubnetID.NotFound`. */
export function describeSubnets({ subnets }: SimulatedAccount, query: AccountQuery): readonly AccountSubnet[] {
  return found(subnets, query, "InvalidSubnetID.NotFound", (subnet) => ({
    values: {
      "subnet-id": subnet.id,
      "vpc-id": subnet.vpcId,
      "availability-zone": subnet.zone,
      "availability-zone-id": subnet.zoneId,
      state: "available",
    },
    tags: subnet.tags,
  }));
}

/** Throws `InvalidGroup.NotFound`. */
export function describeSecurityGroups(
  { securityGroups }: SimulatedAccount,
  query: AccountQuery,
): readonly AccountSecurityGroup[] {
  return found(securityGroups, query, "InvalidGroup.NotFound", ({ id, name, vpcId, tags }) => ({
    values: { "group-id": id, "group-name": name, "vpc-id": vpcId },
    tags,
  }));
}

/** Without `includeDeprecated` only those that are not. `owners`: ids, aliases or `self`. Throws `InvalidAMIID.NotFound`. */
export function describeImages(
  { images, accountId }: SimulatedAccount,
  query: AccountQuery & { readonly owners?: readonly string[]; readonly includeDeprecated?: boolean },
): readonly AccountImage[] {
  const isOwned = ({ ownerId, ownerAlias }: AccountImage) =>
    query.owners === undefined ||
    query.owners.some((owner) => owner === ownerAlias || (owner === "self" ? accountId : owner) === ownerId);
  return found(images, query, "InvalidAMIID.NotFound", (image) => ({
    values: {
      "image-id": image.id,
      name: image.name,
      architecture: image.architecture,
      "owner-id": image.ownerId,
      "owner-alias": image.ownerAlias,
      state: "available",
    },
    tags: image.tags,
  })).filter((image) => isOwned(image) && (query.includeDeprecated === true || !image.isDeprecated));
}

/** Throws `InvalidCapacityReservationId.NotFound`. */
export function describeCapacityReservations(
  { capacityReservations }: SimulatedAccount,
  query: AccountQuery,
): readonly AccountReservation[] {
  return found(capacityReservations, query, "InvalidCapacityReservationId.NotFound", (reservation) => ({
    values: {
      "owner-id": reservation.ownerId,
      "instance-type": reservation.instanceType,
      "availability-zone": reservation.zone,
      "instance-match-criteria": reservation.instanceMatchCriteria,
      state: reservation.state,
    },
    tags: reservation.tags,
  }));
}

/** Throws `InvalidPlacementGroupId.NotFound` or `InvalidPlacementGroup.Unknown`. */
export function describePlacementGroups(
  { placementGroups }: SimulatedAccount,
  query: AccountQuery & { readonly names?: readonly string[] },
): readonly PlacementGroup[] {
  const unknownName = query.names?.find((wanted) => placementGroups.every(({ name }) => name !== wanted));
  if (unknownName !== undefined) {
    throw new Ec2ApiError("InvalidPlacementGroup.Unknown", `The placement group '${unknownName}' is unknown.`);
  }
  return found(placementGroups, query, "InvalidPlacementGroupId.NotFound", ({ name, strategy }) => ({
    values: { "group-name": name, strategy, state: "available" },
    tags: {},
  })).filter(({ name }) => query.names?.includes(name) ?? true);
}

function found<T extends { readonly id: string }>(
  all: readonly T[],
  { ids, filters = [] }: AccountQuery,
  notFound: string,
  filterable: (object: T) => Filterable,
): readonly T[] {
  const unknown = ids?.filter((id) => all.every((object) => object.id !== id)) ?? [];
  if (unknown.length > 0) throw new Ec2ApiError(notFound, `The ids '${unknown.join(", ")}' do not exist`);
  return all.filter(
    (object) => (ids === undefined || ids.includes(object.id)) && matchesEc2Filters(filterable(object), filters),
  );
}
