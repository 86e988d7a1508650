import {
  describeCapacityReservations,
  describeImages,
  describePlacementGroups,
  describeSecurityGroups,
  describeSubnets,
} from "../../../shared/simulator/ec2-account-queries.ts";
import type { Ec2Action } from "./cloud.ts";
import { pageOf } from "./paging.ts";
import type { QueryForm } from "./query-form.ts";
import { tagSet } from "./xml.ts";

export const accountActions: Readonly<Record<string, Ec2Action>> = {
  DescribeSubnets: (cloud, form) =>
    cloud.ec2.read("DescribeSubnets", () => {
      const all = describeSubnets(cloud.account, query(form, "SubnetId"));
      const { items, nextToken } = pageOf(all, form, cloud);
      const subnetSet = items.map((subnet) => ({
        subnetId: subnet.id,
        vpcId: subnet.vpcId,
        state: "available",
        availabilityZone: subnet.zone,
        availabilityZoneId: subnet.zoneId,
        availableIpAddressCount: subnet.availableIpAddressCount,
        tagSet: tagSet(subnet.tags),
      }));
      return { subnetSet, nextToken };
    }),

  DescribeSecurityGroups: (cloud, form) =>
    cloud.ec2.read("DescribeSecurityGroups", () => {
      const all = describeSecurityGroups(cloud.account, query(form, "GroupId"));
      const { items, nextToken } = pageOf(all, form, cloud);
      const securityGroupInfo = items.map(({ id, name, vpcId, tags }) => ({
        groupId: id,
        groupName: name,
        vpcId,
        tagSet: tagSet(tags),
      }));
      return { securityGroupInfo, nextToken };
    }),

  DescribeImages: (cloud, form) =>
    cloud.ec2.read("DescribeImages", () => {
      const owners = form.texts("Owner");
      const all = describeImages(cloud.account, {
        ...query(form, "ImageId"),
        ...(owners !== undefined && { owners }),
        includeDeprecated: form.flag("IncludeDeprecated") ?? false,
      });
      const { items, nextToken } = pageOf(all, form, cloud);
      const imagesSet = items.map((image) => ({
        imageId: image.id,
        name: image.name,
        architecture: image.architecture,
        creationDate: new Date(image.createdAt).toISOString(),
        deprecationTime: new Date(cloud.now() + (image.isDeprecated ? -1 : 1) * 86_400_000).toISOString(),
        imageState: "available",
        imageOwnerId: image.ownerId,
        imageOwnerAlias: image.ownerAlias,
        tagSet: tagSet(image.tags),
      }));
      return { imagesSet, nextToken };
    }),

  DescribeCapacityReservations: (cloud, form) =>
    cloud.ec2.read("DescribeCapacityReservations", () => {
      const all = describeCapacityReservations(cloud.account, query(form, "CapacityReservationId"));
      const { items, nextToken } = pageOf(all, form, cloud);
      const capacityReservationSet = items.map((reservation) => ({
        capacityReservationId: reservation.id,
        ownerId: reservation.ownerId,
        instanceType: reservation.instanceType,
        availabilityZone: reservation.zone,
        instanceMatchCriteria: reservation.instanceMatchCriteria,
        reservationType: reservation.reservationType,
        interruptible: reservation.interruptible,
        availableInstanceCount: reservation.availableInstanceCount,
        endDate: reservation.endsAt === undefined ? undefined : new Date(reservation.endsAt).toISOString(),
        state: reservation.state,
        tagSet: tagSet(reservation.tags),
      }));
      return { capacityReservationSet, nextToken };
    }),

  DescribePlacementGroups: (cloud, form) =>
    cloud.ec2.read("DescribePlacementGroups", () => {
      const names = form.texts("GroupName");
      const groups = describePlacementGroups(cloud.account, {
        ...query(form, "GroupId"),
        ...(names !== undefined && { names }),
      });
      const placementGroupSet = groups.map(({ id, name, strategy, partitionCount }) => ({
        groupId: id,
        groupName: name,
        strategy,
        partitionCount,
        state: "available",
      }));
      return { placementGroupSet };
    }),
};

function query(form: QueryForm, idKey: string) {
  const ids = form.texts(idKey);
  return { filters: form.filters(), ...(ids !== undefined && { ids }) };
}
