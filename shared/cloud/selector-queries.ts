import type { Ec2Filter } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";

type Spec = EC2NodeClass["spec"];

/** Filters of one Describe call: all of them must hold. What one class selects is what any of its calls finds (karpenter-aws §1.2, §1.3). */
export type Query = readonly Ec2Filter[];

/** One call for all ids, and one for each term of tags. */
export function subnetQueries(terms: Spec["subnetSelectorTerms"]): readonly Query[] {
  return [
    ...merged(
      "subnet-id",
      terms.map(({ id }) => id),
    ),
    ...ofTags(terms),
  ];
}

/** One call for all ids, one for all names, and one for each term of tags. */
export function securityGroupQueries(terms: Spec["securityGroupSelectorTerms"]): readonly Query[] {
  return [
    ...merged(
      "group-id",
      terms.map(({ id }) => id),
    ),
    ...merged(
      "group-name",
      terms.map(({ name }) => name),
    ),
    ...ofTags(terms),
  ];
}

export interface ImageQuery {
  readonly filters: Query;
  readonly owners?: readonly string[];
}

/**
 * For terms without an alias; `parameterIds` are the images that their SSM parameters name. One call for all ids. A name without an owner
 * means the account's own images and Amazon's, so that nobody slips in a look-alike; tags alone can only be one's own.
 */
export function imageQueries(terms: Spec["amiSelectorTerms"], parameterIds: readonly string[]): readonly ImageQuery[] {
  const others = terms.filter(({ id, alias, ssmParameter }) =>
    [id, alias, ssmParameter].every((one) => one === undefined),
  );
  return [
    ...merged("image-id", [...terms.map(({ id }) => id), ...parameterIds]).map((filters) => ({ filters })),
    ...others.map(({ name, owner, tags }) => {
      const filters = [...(name === undefined ? [] : [{ name: "name", values: [name] }]), ...tagFilters(tags)];
      if (owner !== undefined) return { filters, owners: [owner] };
      return name === undefined ? { filters } : { filters, owners: ["self", "amazon"] };
    }),
  ];
}

export interface ReservationQuery {
  readonly filters: Query;
  readonly id?: string;
}

/** One call for each term: EC2 fails as a whole when one of several ids is unknown. */
export function reservationQueries(
  terms: NonNullable<Spec["capacityReservationSelectorTerms"]>,
): readonly ReservationQuery[] {
  return terms.map(({ id, ownerID, instanceMatchCriteria, tags }) => {
    if (id !== undefined) return { filters: [], id };
    const owner = ownerID === undefined ? [] : [{ name: "owner-id", values: [ownerID] }];
    const criteria =
      instanceMatchCriteria === undefined ? [] : [{ name: "instance-match-criteria", values: [instanceMatchCriteria] }];
    return { filters: [...owner, ...criteria, ...tagFilters(tags)] };
  });
}

/** A value of `*` asks for the key alone. */
function tagFilters(tags: Readonly<Record<string, string>> = {}): Query {
  return Object.entries(tags).map(([key, value]) =>
    value === "*" ? { name: "tag-key", values: [key] } : { name: `tag:${key}`, values: [value] },
  );
}

function ofTags(terms: readonly { readonly tags?: Readonly<Record<string, string>> }[]): readonly Query[] {
  return terms.flatMap(({ tags }) => (tags === undefined ? [] : [tagFilters(tags)]));
}

function merged(name: string, values: readonly (string | undefined)[]): readonly Query[] {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? [] : [[{ name, values: given }]];
}
