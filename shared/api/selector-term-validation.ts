import { amiAliasFault } from "./ami-alias.ts";
import { type Fault, fault } from "./rules.ts";

/** Any of an EC2NodeClass's selector terms; each kind has some of the fields (karpenter-aws §1.1). */
interface SelectorTerm {
  readonly tags?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly name?: string;
  readonly alias?: string;
  readonly owner?: string;
  readonly ssmParameter?: string;
  readonly ownerID?: string;
  readonly instanceMatchCriteria?: string;
}
type SelectorField = keyof SelectorTerm;

export function subnetTermFaults(term: SelectorTerm): readonly Fault[] {
  return [
    ...termFaults(term, ["tags", "id"], [["id", ["tags"]]]),
    ...patternFaults(term.id, /subnet-[0-9a-z]+/, "a subnet id such as subnet-0123456789abcdef0"),
  ];
}

export function securityGroupTermFaults(term: SelectorTerm): readonly Fault[] {
  return [
    ...termFaults(
      term,
      ["tags", "id", "name"],
      [
        ["id", ["tags", "name"]],
        ["name", ["tags"]],
      ],
    ),
    ...patternFaults(term.id, /sg-[0-9a-z]+/, "a security group id such as sg-0123456789abcdef0"),
  ];
}

export function amiTermFaults(term: SelectorTerm): readonly Fault[] {
  return [
    ...termFaults(
      term,
      ["tags", "id", "name", "alias", "ssmParameter"],
      [
        ["id", ["alias", "tags", "name", "owner"]],
        ["alias", ["tags", "name", "owner"]],
      ],
    ),
    ...patternFaults(term.id, /ami-[0-9a-z]+/, "an image id such as ami-0123456789abcdef0"),
    ...fault(["alias"], term.alias === undefined ? undefined : amiAliasFault(term.alias)),
  ];
}

export function capacityReservationTermFaults(term: SelectorTerm): readonly Fault[] {
  return [
    ...termFaults(
      term,
      ["tags", "id", "instanceMatchCriteria"],
      [["id", ["tags", "ownerID", "instanceMatchCriteria"]]],
    ),
    ...patternFaults(term.id, /^cr-[0-9a-z]+$/, "a capacity reservation id such as cr-0123456789abcdef0"),
    ...fault(
      ["ownerID"],
      /^[0-9]{12}$/.test(term.ownerID ?? "000000000000") ? undefined : "an account id of twelve digits",
    ),
  ];
}

/** A term selects by something, and by nothing that another field already decides; tags are named. */
function termFaults(
  term: SelectorTerm,
  selectors: readonly SelectorField[],
  exclusive: readonly (readonly [SelectorField, readonly SelectorField[]])[],
): readonly Fault[] {
  const has = (field: SelectorField) => term[field] !== undefined;
  const clashes = exclusive.flatMap(([field, others]) =>
    others
      .filter((other) => has(field) && has(other))
      .flatMap((other) => fault([other], `no ${other} beside ${field}, which selects alone`)),
  );
  return [
    ...fault([], selectors.some(has) ? undefined : `at least one of ${selectors.join(", ")}`),
    ...clashes,
    ...selectorTagFaults(term.tags ?? {}),
  ];
}

function selectorTagFaults(tags: Readonly<Record<string, string>>): readonly Fault[] {
  const entries = Object.entries(tags);
  return [
    ...fault(["tags"], entries.length > 20 ? "at most 20 tags" : undefined, `${entries.length} tags`),
    ...entries.flatMap(([key, value]) =>
      fault(["tags", key], key === "" || value === "" ? 'a key and a value, or "*" for any value' : undefined),
    ),
  ];
}

/** An id, if there is one, looks like an id of its kind. */
export function patternFaults(id: string | undefined, pattern: RegExp, expected: string): readonly Fault[] {
  return fault(["id"], id === undefined || pattern.test(id) ? undefined : expected);
}
