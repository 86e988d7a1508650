import { expect } from "vitest";
import { label, wellKnownLabels } from "../../../shared/api/labels.ts";
import {
  describeConflict,
  firstIncompatibility,
  intersectAll,
  type RequirementOperator,
  type Requirements,
  requirement,
  requirementEntries,
  requirementsOf,
} from "../../../shared/scheduling/requirements.ts";
import { conforms } from "../../support/conformance.ts";

const nothing: ReadonlySet<string> = new Set();

function set(key: string, operator: RequirementOperator, ...values: string[]): Requirements {
  return requirementsOf([{ key, operator, values }]);
}

function areCompatible(node: Requirements, pod: Requirements, mayBeUndefined = nothing): boolean {
  return firstIncompatibility(node, pod, mayBeUndefined) === undefined;
}

/** One operator with what it admits of a small universe, found without the code under test. */
const sides: readonly (readonly [RequirementOperator, readonly string[], (value: string) => boolean])[] = [
  ["Exists", [], () => true],
  ["DoesNotExist", [], () => false],
  ["In", ["A"], (value) => value === "A"],
  ["In", ["B"], (value) => value === "B"],
  ["In", ["A", "B"], (value) => value === "A" || value === "B"],
  ["In", ["1"], (value) => value === "1"],
  ["In", ["1", "9"], (value) => value === "1" || value === "9"],
  ["NotIn", ["A"], (value) => value !== "A"],
  ["NotIn", ["1", "2"], (value) => value !== "1" && value !== "2"],
  ["Gt", ["1"], (value) => Number(value) > 1],
  ["Gt", ["9"], (value) => Number(value) > 9],
  ["Lt", ["1"], (value) => Number(value) < 1],
  ["Lt", ["9"], (value) => Number(value) < 9],
  ["Gte", ["9"], (value) => Number(value) >= 9],
  ["Lte", ["1"], (value) => Number(value) <= 1],
];
const universe = ["A", "B", "C", ...Array.from({ length: 20 }, (_, index) => String(index))];
const mayBeAbsent = (operator: RequirementOperator) => operator === "NotIn" || operator === "DoesNotExist";

conforms("reqs.compat | aliases; well-known undefined allowed; strict matrix without allowance | as section 3", () => {
  const aliased = set("failure-domain.beta.kubernetes.io/zone", "In", "a");
  expect(areCompatible(set(label.zone, "In", "a"), aliased)).toBe(true);
  expect(areCompatible(set(label.zone, "In", "b"), aliased)).toBe(false);
  expect(areCompatible(new Map(), aliased, wellKnownLabels)).toBe(true);
  expect(areCompatible(new Map(), aliased)).toBe(false);
  expect(areCompatible(new Map(), set("team", "In", "a"), wellKnownLabels)).toBe(false);
  for (const [wanted, operands, admitsWanted] of sides) {
    const pod = set("k", wanted, ...operands);
    expect(areCompatible(new Map(), pod), `undefined against ${wanted} ${operands}`).toBe(mayBeAbsent(wanted));
    for (const [found, values, admitsFound] of sides) {
      const expected =
        (mayBeAbsent(found) && mayBeAbsent(wanted)) ||
        universe.some((value) => admitsFound(value) && admitsWanted(value));
      const title = `${found} ${values} against ${wanted} ${operands}`;
      expect(areCompatible(set("k", found, ...values), pod), title).toBe(expected);
    }
  }
  for (const [wanted, operands] of sides) {
    expect(areCompatible(set("k", "In", "A"), new Map()), `${wanted} ${operands} unasked`).toBe(true);
  }
});

conforms(
  "reqs.hint | truncated or mistyped well-known keys (x11); unknown key | error suggests the right key / plain error",
  () => {
    const messageOf = (key: string) =>
      describeConflict({ key, found: undefined, wanted: requirement(key, "In", ["x"]) });
    const meant: readonly (readonly [string, string])[] = [
      ["zone", label.zone],
      ["region", label.region],
      ["nodepool", label.nodePool],
      ["instance-type", label.instanceType],
      ["arch", label.arch],
      ["capacity-type", label.capacityType],
      ["topology.kubernetesio/zone", label.zone],
      ["node.io/zone", label.zone],
      ["topology.kubernetes.io/regio", label.region],
      ["node.kubernetes.io/instancetype", label.instanceType],
      ["karpenter.sh/capacity-typ", label.capacityType],
    ];
    for (const [key, right] of meant) {
      expect(messageOf(key)).toContain(`label ${key} is not defined`);
      expect(messageOf(key)).toContain(`did you mean ${right}?`);
    }
    expect(messageOf("example.com/flavour")).toBe(
      "label example.com/flavour is not defined, wanted example.com/flavour In [x]",
    );
  },
);

conforms("reqs.convert | mixed operators; with minValues; dual bounds (x3) | expected list", () => {
  const mixed = requirementsOf([
    { key: "d", operator: "DoesNotExist" },
    { key: "c", operator: "Exists" },
    { key: "b", operator: "NotIn", values: ["y", "x"] },
    { key: "a", operator: "In", values: ["y", "x"] },
    { key: "e", operator: "Gt", values: ["5"] },
    { key: "f", operator: "Lt", values: ["5"] },
  ]);
  expect(requirementEntries(mixed)).toEqual([
    { key: "a", operator: "In", values: ["x", "y"] },
    { key: "b", operator: "NotIn", values: ["x", "y"] },
    { key: "c", operator: "Exists" },
    { key: "d", operator: "DoesNotExist" },
    { key: "e", operator: "Gt", values: ["5"] },
    { key: "f", operator: "Lt", values: ["5"] },
  ]);
  const least = requirementsOf([{ key: "a", operator: "In", values: ["x", "y"], minValues: 2 }]);
  expect(requirementEntries(least)).toEqual([{ key: "a", operator: "In", values: ["x", "y"], minValues: 2 }]);
  const bounded = intersectAll(set("a", "Gte", "3"), set("a", "Lte", "7"));
  expect(requirementEntries(bounded)).toEqual([
    { key: "a", operator: "Gt", values: ["2"] },
    { key: "a", operator: "Lt", values: ["8"] },
  ]);
  expect(requirementsOf(requirementEntries(bounded))).toEqual(bounded);
});

conforms("reqs.string | map order varies | deterministic order", () => {
  const entries = ["b", "c", "a"].map((key) => ({ key, operator: "In" as const, values: ["2", "1"] }));
  const forwards = requirementEntries(requirementsOf(entries));
  const backwards = requirementEntries(requirementsOf(entries.toReversed()));
  expect(JSON.stringify(backwards)).toBe(JSON.stringify(forwards));
  expect(forwards.map(({ key }) => key)).toEqual(["a", "b", "c"]);
});
