import type { Ec2Instance } from "../../../shared/ports.ts";
import { Ec2ApiError } from "../../../shared/simulator/ec2-api-error.ts";
import { matchesEc2Filters } from "../../../shared/simulator/ec2-filters.ts";
import type { Ec2Action } from "./cloud.ts";
import { launchOf } from "./launch-form.ts";
import { pageOf } from "./paging.ts";
import { tagSet, type XmlValue } from "./xml.ts";

export const instanceActions: Readonly<Record<string, Ec2Action>> = {
  async RunInstances({ ec2 }, form) {
    const request = launchOf(form);
    if (form.flag("DryRun")) return ec2.dryRun(request);
    return { instancesSet: (await ec2.runInstances(request)).map(instanceElement) };
  },

  async DescribeInstances(cloud, form) {
    const instanceIds = form.texts("InstanceId");
    if (instanceIds !== undefined && form.text("MaxResults") !== undefined) {
      const message = "The parameter instancesSet cannot be used with the parameter maxResults";
      throw new Ec2ApiError("InvalidParameterCombination", message);
    }
    const query = { filters: form.filters(), ...(instanceIds !== undefined && { instanceIds }) };
    // Pages must not shuffle between calls; that the order means nothing is shown by turning it round.
    const all = [...(await cloud.ec2.describeInstances(query))].sort((a, b) => (a.instanceId > b.instanceId ? -1 : 1));
    const { items, nextToken } = pageOf(all, form, cloud);
    return { reservationSet: items.map((one) => ({ instancesSet: [instanceElement(one)] })), nextToken };
  },

  async TerminateInstances({ ec2 }, form) {
    await ec2.terminateInstances(form.texts("InstanceId") ?? []);
    return { instancesSet: [] };
  },

  async CreateTags({ ec2 }, form) {
    await ec2.createTags(form.texts("ResourceId") ?? [], form.tags("Tag"));
    return { return: true };
  },

  /** Of running instances; what is wrong with one is the cloud's `impaired`. */
  DescribeInstanceStatus(cloud, form) {
    return cloud.ec2.read("DescribeInstanceStatus", () => {
      const statuses = cloud.ec2
        .instances()
        .filter(({ state }) => state === "running")
        .map((one) => ({ one, status: cloud.impaired?.get(one.instanceId) ?? {} }))
        .filter(({ one, status }) => {
          const { instance = "ok", system = "ok", eventCode } = status;
          const values = {
            "availability-zone": one.zone,
            "instance-status.status": instance,
            "system-status.status": system,
            "event.code": eventCode,
          };
          return matchesEc2Filters({ values, tags: {} }, form.filters());
        });
      const { items, nextToken } = pageOf(statuses, form, cloud);
      return {
        instanceStatusSet: items.map(({ one, status: { instance = "ok", system = "ok", eventCode } }) => ({
          instanceId: one.instanceId,
          availabilityZone: one.zone,
          instanceState: { name: one.state },
          instanceStatus: { status: instance },
          systemStatus: { status: system },
          eventsSet: eventCode === undefined ? [] : [{ code: eventCode }],
        })),
        nextToken,
      };
    });
  },
};

/** EC2 forgets the subnet and the address of an instance that has ended. */
function instanceElement(instance: Ec2Instance): XmlValue {
  return {
    instanceId: instance.instanceId,
    instanceType: instance.instanceType,
    imageId: instance.imageId,
    subnetId: instance.state === "terminated" ? undefined : instance.subnetId,
    placement: { availabilityZone: instance.zone, partitionNumber: instance.partitionNumber },
    instanceState: { name: instance.state },
    launchTime: new Date(instance.launchedAt).toISOString(),
    privateDnsName: instance.privateDnsName ?? "",
    clientToken: instance.clientToken,
    instanceLifecycle: instance.capacityType === "spot" ? "spot" : undefined,
    capacityReservationId: instance.capacityReservationId,
    capacityReservationSpecification:
      instance.capacityType === "reserved"
        ? { capacityReservationPreference: "capacity-reservations-only" }
        : undefined,
    stateReason: instance.stateReason === undefined ? undefined : { code: instance.stateReason },
    tagSet: tagSet(instance.tags),
  };
}
