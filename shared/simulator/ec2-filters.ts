import { Ec2ApiError } from "./ec2-api-error.ts";
import type { InstanceRecord } from "./ec2-instance.ts";

/** A filter of DescribeInstances: one of the values, in every filter. */
export interface Ec2Filter {
  readonly name: string;
  readonly values: readonly string[];
}

export function matchesFilters(record: InstanceRecord, filters: readonly Ec2Filter[]): boolean {
  return filters.every(({ name, values }) => foundValues(record, name).some((found) => values.includes(found)));
}

function foundValues(record: InstanceRecord, name: string): readonly string[] {
  if (name.startsWith("tag:")) {
    const value = record.tags.get(name.slice("tag:".length));
    return value === undefined ? [] : [value];
  }
  switch (name) {
    case "instance-id":
      return [record.instanceId];
    case "instance-state-name":
      return [record.state];
    case "client-token":
      return [record.request.clientToken];
    case "availability-zone":
      return [record.zone];
    case "instance-type":
      return [record.request.instanceType];
    case "tag-key":
      return [...record.tags.keys()];
    default:
      throw new Ec2ApiError("InvalidParameterValue", `The filter '${name}' is invalid`);
  }
}
