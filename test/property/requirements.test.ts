import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allows,
  firstConflict,
  firstIncompatibility,
  intersect,
  intersectAll,
  isImpossible,
  overlaps,
  type Requirement,
  requirement,
  requirementEntries,
  requirementsOf,
} from "../../shared/scheduling/requirements.ts";

const value = fc.constantFrom("a", "b", "1", "2", "3", "05", "9007199254740991", "9007199254740992");
const operand = fc.constantFrom("-1", "0", "1", "2", "3", "4", "9007199254740990", "9007199254740991", "x");
const minValues = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });

const single: fc.Arbitrary<Requirement> = fc.oneof(
  fc
    .tuple(fc.constantFrom("In" as const, "NotIn" as const), fc.array(value, { maxLength: 4 }), minValues)
    .map(([operator, values, least]) => requirement("k", operator, values, least)),
  fc.constantFrom(requirement("k", "Exists"), requirement("k", "DoesNotExist")),
  fc
    .tuple(fc.constantFrom("Gt" as const, "Lt" as const, "Gte" as const, "Lte" as const), operand)
    .map(([operator, bound]) => requirement("k", operator, [bound])),
);

/** Up to three entries on one key, so that bounds, exclusions and contradictions all occur. */
const anyRequirement = fc.array(single, { minLength: 1, maxLength: 3 }).map((parts) => parts.reduce(intersect));
const probes = ["a", "b", "", "0", "1", "2", "3", "4", "05", "9007199254740991", "9007199254740992"];

describe("the algebra of requirements", () => {
  it("intersects commutatively, associatively and idempotently", () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, anyRequirement, (a, b, c) => {
        expect(intersect(a, b)).toEqual(intersect(b, a));
        expect(intersect(intersect(a, b), c)).toEqual(intersect(a, intersect(b, c)));
        expect(intersect(a, { ...a })).toEqual(a);
      }),
    );
  });

  it("allows in an intersection what both sides allow", () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, fc.constantFrom(...probes), (a, b, probe) => {
        expect(allows(intersect(a, b), probe)).toBe(allows(a, probe) && allows(b, probe));
      }),
    );
  });

  it("overlaps exactly where the intersection is possible", () => {
    fc.assert(
      fc.property(anyRequirement, anyRequirement, (a, b) => {
        expect(overlaps(a, b)).toBe(!isImpossible(intersect(a, b)));
        expect(overlaps(a, b)).toBe(overlaps(b, a));
      }),
    );
  });

  it("allows nothing that is impossible", () => {
    fc.assert(
      fc.property(anyRequirement, fc.constantFrom(...probes), (tested, probe) => {
        expect(isImpossible(tested) && allows(tested, probe)).toBe(false);
      }),
    );
  });

  it("comes back the same from its entries, which never use Gte or Lte", () => {
    fc.assert(
      fc.property(anyRequirement, (tested) => {
        const entries = requirementEntries(new Map([["k", tested]]));
        expect(requirementsOf(entries).get("k")).toEqual(tested);
        expect(entries.filter(({ operator }) => operator.endsWith("te"))).toEqual([]);
      }),
    );
  });

  it("calls a labelled node compatible exactly when the label's value is allowed", () => {
    fc.assert(
      fc.property(anyRequirement, fc.constantFrom(...probes), (tested, probe) => {
        const node = requirementsOf([{ key: "k", operator: "In", values: [probe] }]);
        const conflict = firstIncompatibility(node, new Map([["k", tested]]), new Set());
        expect(conflict === undefined).toBe(allows(tested, probe));
      }),
    );
  });

  it("finds the same conflicts from either side, and the smallest key whatever the order", () => {
    const requirements = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), anyRequirement), {
      selector: ([key]) => key,
    });
    fc.assert(
      fc.property(requirements, requirements, (left, right) => {
        const setOf = (pairs: typeof left) => new Map(pairs.map(([key, tested]) => [key, { ...tested, key }]));
        const found = firstConflict(setOf(left), setOf(right))?.key;
        expect(firstConflict(setOf(right), setOf(left))?.key).toBe(found);
        expect(firstConflict(setOf(left.toReversed()), setOf(right.toReversed()))?.key).toBe(found);
        expect(intersectAll(setOf(left), setOf(right))).toEqual(intersectAll(setOf(right), setOf(left)));
      }),
    );
  });
});
