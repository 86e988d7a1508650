import type { Ec2Filter } from "../account-ports.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";
import type { InstanceRecord } from "./ec2-instance.ts";

/** An object as the filters of its Describe call see it: values by filter name, and its tags. */
export interface Filterable {
  readonly values: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * Every filter holds: one of its values is one of the object's, `*` and `?` standing for any characters and for one.
 * Throws `InvalidParameterValue` for a filter that the call does not know.
 */
export function matchesEc2Filters(object: Filterable, filters: readonly Ec2Filter[]): boolean {
  return filters.every(({ name, values }) => {
    const found = foundValues(object, name);
    return values.some((wanted) => found.some((value) => matchesPattern(value, wanted)));
  });
}

export function instanceFilterable(record: InstanceRecord): Filterable {
  return {
    values: {
      "instance-id": record.instanceId,
      "instance-state-name": record.state,
      "client-token": record.request.clientToken,
      "availability-zone": record.zone,
      "instance-type": record.request.instanceType,
    },
    tags: Object.fromEntries(record.tags),
  };
}

function foundValues({ values, tags }: Filterable, name: string): readonly string[] {
  if (name === "tag-key") return Object.keys(tags);
  if (name.startsWith("tag:")) return listOf(tags[name.slice("tag:".length)]);
  if (name in values) return listOf(values[name]);
  throw new Ec2ApiError("InvalidParameterValue", `The filter '${name}' is invalid`);
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat();
}

function matchesPattern(value: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return value === pattern;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(value);
}
