import { expect } from "vitest";
import { label, wellKnownLabels } from "../../../shared/api/labels.ts";
import { settleCustomLabels } from "../../../shared/provisioning/open-labels.ts";
import {
  allows,
  describeRequirement,
  intersect,
  operatorOf,
  type Requirement,
  type RequirementOperator,
  requirement,
} from "../../../shared/scheduling/requirements.ts";
import { conforms } from "../../support/conformance.ts";

const on = (operator: RequirementOperator, ...values: string[]): Requirement => requirement("k", operator, values);
const allOf = (...parts: readonly Requirement[]) => parts.reduce(intersect);
const withLeast = (minValues: number | undefined) => requirement("k", "Exists", [], minValues);

conforms("req | aliased label keys | normalised", () => {
  const keyOf = (alias: string) => requirement(alias, "Exists").key;
  expect(keyOf("failure-domain.beta.kubernetes.io/zone")).toBe(label.zone);
  expect(keyOf("failure-domain.beta.kubernetes.io/region")).toBe(label.region);
  expect(keyOf("topology.ebs.csi.aws.com/zone")).toBe(label.zone);
  expect(keyOf("beta.kubernetes.io/arch")).toBe(label.arch);
  expect(keyOf("beta.kubernetes.io/os")).toBe(label.os);
  expect(keyOf("beta.kubernetes.io/instance-type")).toBe(label.instanceType);
  expect(keyOf("team")).toBe("team");
});

conforms("req.intersect | one side / both sides with minValues | max kept", () => {
  expect(intersect(withLeast(2), withLeast(undefined)).minValues).toBe(2);
  expect(intersect(withLeast(undefined), withLeast(2)).minValues).toBe(2);
  expect(intersect(withLeast(2), withLeast(3)).minValues).toBe(3);
  expect(intersect(withLeast(3), withLeast(2)).minValues).toBe(3);
  expect(intersect(withLeast(undefined), withLeast(undefined)).minValues).toBeUndefined();
});

conforms("req.has | matrix of operators × values | membership incl. numeric bounds; non-integers out of bounds", () => {
  const values = ["A", "B", "1", "2", "9", "10"];
  const admitted = (tested: Requirement) => values.filter((value) => allows(tested, value));
  expect(admitted(on("Exists"))).toEqual(values);
  expect(admitted(on("DoesNotExist"))).toEqual([]);
  expect(admitted(on("In", "A"))).toEqual(["A"]);
  expect(admitted(on("In", "A", "B", "10"))).toEqual(["A", "B", "10"]);
  expect(admitted(on("NotIn", "A"))).toEqual(["B", "1", "2", "9", "10"]);
  expect(admitted(on("NotIn", "1", "2"))).toEqual(["A", "B", "9", "10"]);
  expect(admitted(on("Gt", "1"))).toEqual(["2", "9", "10"]);
  expect(admitted(on("Lt", "9"))).toEqual(["1", "2"]);
  expect(admitted(on("Gte", "9"))).toEqual(["9", "10"]);
  expect(admitted(on("Lte", "2"))).toEqual(["1", "2"]);
  expect(admitted(allOf(on("Gt", "1"), on("Lt", "10"), on("NotIn", "2")))).toEqual(["9"]);
  expect(["1.5", "1e1", "-2", "two", ""].filter((value) => allows(on("Gte", "0"), value))).toEqual([]);
});

conforms(
  "req.operator | matrix | Exists for bounded complements, NotIn when exclusions, DoesNotExist for empty",
  () => {
    expect(["Gt", "Lt", "Gte", "Lte"].map((operator) => operatorOf(on(operator as RequirementOperator, "5")))).toEqual(
      Array.from({ length: 4 }, () => "Exists"),
    );
    expect(operatorOf(allOf(on("Gt", "1"), on("Lt", "9")))).toBe("Exists");
    expect(operatorOf(on("Exists"))).toBe("Exists");
    expect(operatorOf(on("NotIn", "A"))).toBe("NotIn");
    expect(operatorOf(allOf(on("Gt", "1"), on("NotIn", "5")))).toBe("NotIn");
    expect(operatorOf(on("In", "A", "B"))).toBe("In");
    expect(operatorOf(allOf(on("In", "1", "7"), on("Gt", "1")))).toBe("In");
    expect(operatorOf(on("DoesNotExist"))).toBe("DoesNotExist");
    expect(operatorOf(allOf(on("In", "A"), on("In", "B")))).toBe("DoesNotExist");
    expect(operatorOf(allOf(on("In", "A"), on("NotIn", "A")))).toBe("DoesNotExist");
  },
);

conforms("req.len | matrix | complement length = MaxInt64 − exclusions", () => {
  // Nobody counts to 2^63 here: of a thousand values, all but the exclusions are admitted.
  const universe = Array.from({ length: 1000 }, (_, index) => String(index));
  const admitted = (tested: Requirement) => universe.filter((value) => allows(tested, value)).length;
  expect(admitted(on("Exists"))).toBe(1000);
  expect(admitted(on("NotIn", "1"))).toBe(999);
  expect(admitted(allOf(on("NotIn", "1", "2"), on("NotIn", "2", "3")))).toBe(997);
  expect(admitted(on("In", "1", "2"))).toBe(2);
  expect(admitted(allOf(on("In", "1", "2"), on("NotIn", "2")))).toBe(1);
  expect(admitted(on("DoesNotExist"))).toBe(0);
});

conforms('req.any | each operator | member / integer in bounds / ""', () => {
  const settled = (tested: Requirement) => {
    const found = settleCustomLabels(new Map([["k", tested]]), wellKnownLabels).get("k");
    return found === undefined || found.complement || found.values.size !== 1 ? "" : [...found.values].join();
  };
  expect(["A", "B"]).toContain(settled(on("In", "A", "B")));
  expect(settled(on("Exists"))).toMatch(/^\d+$/);
  expect(Number(settled(on("Gt", "5")))).toBeGreaterThan(5);
  expect(Number(settled(on("Gte", "5")))).toBeGreaterThanOrEqual(5);
  expect(settled(on("Lt", "5"))).toMatch(/^[0-4]$/);
  expect(settled(on("Lte", "5"))).toMatch(/^[0-5]$/);
  expect(settled(allOf(on("Gt", "5"), on("Lt", "9"), on("NotIn", "6", "8")))).toBe("7");
  expect(settled(on("DoesNotExist"))).toBe("");
});

conforms("req.string | matrix | stable text, ≥ and ≤ shown", () => {
  expect(describeRequirement(on("In", "B", "A"))).toBe("k In [A, B]");
  expect(describeRequirement(on("In", "A", "B"))).toBe("k In [A, B]");
  expect(describeRequirement(on("NotIn", "B", "A"))).toBe("k NotIn [A, B]");
  expect(describeRequirement(on("Exists"))).toBe("k Exists");
  expect(describeRequirement(on("DoesNotExist"))).toBe("k DoesNotExist");
  expect(describeRequirement(on("Gt", "4"))).toBe("k >= 5");
  expect(describeRequirement(on("Gte", "5"))).toBe("k >= 5");
  expect(describeRequirement(on("Lt", "9"))).toBe("k <= 8");
  expect(describeRequirement(on("Lte", "8"))).toBe("k <= 8");
  expect(describeRequirement(allOf(on("Lte", "8"), on("Gte", "5")))).toBe("k >= 5 and <= 8");
  expect(describeRequirement(allOf(on("Lte", "8"), on("NotIn", "7"), on("Gte", "5")))).toBe(
    "k >= 5 and <= 8 and NotIn [7]",
  );
});

conforms("req.bounds | Gte n, Lte n | n itself is allowed", () => {
  for (const n of ["0", "1", "5", "1000"]) {
    expect(allows(on("Gte", n), n)).toBe(true);
    expect(allows(on("Lte", n), n)).toBe(true);
    expect(allows(on("Gt", n), n)).toBe(false);
    expect(allows(on("Lt", n), n)).toBe(false);
  }
});

conforms("req.bounds | Gte∩Lte; Gt n vs Gte n+1; Lt n vs Lte n−1 | range; identical", () => {
  const range = intersect(on("Gte", "3"), on("Lte", "5"));
  expect(["2", "3", "4", "5", "6"].filter((value) => allows(range, value))).toEqual(["3", "4", "5"]);
  expect(on("Gt", "5")).toEqual(on("Gte", "6"));
  expect(on("Lt", "5")).toEqual(on("Lte", "4"));
});

conforms("req.bounds | redundant or competing bounds intersected (x5) | strictest wins", () => {
  expect(allOf(on("Gt", "1"), on("Gte", "5"))).toEqual(on("Gte", "5"));
  expect(allOf(on("Gt", "5"), on("Gte", "5"))).toEqual(on("Gt", "5"));
  expect(allOf(on("Lt", "9"), on("Lte", "5"))).toEqual(on("Lte", "5"));
  expect(allOf(on("Lt", "5"), on("Lte", "5"))).toEqual(on("Lt", "5"));
  expect(allOf(on("Gt", "1"), on("Lt", "9"), on("Gte", "3"), on("Lte", "7"))).toEqual(
    allOf(on("Gte", "3"), on("Lte", "7")),
  );
});

conforms("req.bounds | Gt MaxInt | DoesNotExist", () => {
  expect(operatorOf(on("Gt", "9223372036854775807"))).toBe("DoesNotExist");
  expect(operatorOf(on("Gt", String(Number.MAX_SAFE_INTEGER)))).toBe("DoesNotExist");
});
