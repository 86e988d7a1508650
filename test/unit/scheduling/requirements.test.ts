import { describe, expect, it } from "vitest";
import { wellKnownLabels } from "../../../shared/api/labels.ts";
import {
  allows,
  describeConflict,
  describeRequirement,
  firstConflict,
  firstIncompatibility,
  intersect,
  intersectAll,
  isImpossible,
  operatorOf,
  type Requirement,
  type RequirementOperator,
  type Requirements,
  requirement,
  requirementEntries,
  requirementsOf,
  requirementsOfLabels,
} from "../../../shared/scheduling/requirements.ts";

const on = (operator: RequirementOperator, ...values: string[]): Requirement => requirement("k", operator, values);
const set = (operator: RequirementOperator, ...values: string[]): Requirements =>
  requirementsOf([{ key: "k", operator, values }]);
const strict = new Set<string>();

describe("requirement", () => {
  it("reads old spellings of a label as the current one", () => {
    expect(requirement("failure-domain.beta.kubernetes.io/zone", "Exists").key).toBe("topology.kubernetes.io/zone");
    expect(requirement("topology.ebs.csi.aws.com/zone", "Exists").key).toBe("topology.kubernetes.io/zone");
  });

  it.each<[Requirement, string, boolean]>([
    [on("In", "a"), "a", true],
    [on("In", "a"), "b", false],
    [on("NotIn", "a"), "a", false],
    [on("NotIn", "a"), "b", true],
    [on("Exists"), "a", true],
    [on("DoesNotExist"), "a", false],
    [on("Gt", "5"), "5", false],
    [on("Gt", "5"), "6", true],
    [on("Lt", "5"), "5", false],
    [on("Lt", "5"), "4", true],
    [on("Gte", "5"), "5", true],
    [on("Lte", "5"), "5", true],
    [on("Gte", "5"), "large", false],
    [on("Gte", "0"), "", false],
    [on("Gte", "0"), "99999999999999999999", false],
  ])("%o on %s: %s", (tested, value, expected) => {
    expect(allows(tested, value)).toBe(expected);
  });

  it("gives Gt n and Gte n+1, Lt n and Lte n-1 the same meaning", () => {
    expect(on("Gt", "5")).toEqual(on("Gte", "6"));
    expect(on("Lt", "5")).toEqual(on("Lte", "4"));
    expect(on("Gt", "-7")).toEqual(on("Gte", "0"));
  });

  it.each([on("Gt", "9223372036854775807"), on("Lt", "0"), on("Gt", "many"), on("Gt"), on("Lt", "1", "2"), on("In")])(
    "accepts neither a value nor an absent label when no label can meet it: %o",
    (impossible) => {
      expect(isImpossible(impossible)).toBe(true);
      expect(firstIncompatibility(new Map(), new Map([["k", impossible]]), new Set(["k"]))?.key).toBe("k");
    },
  );

  it("reads back as the operator it amounts to", () => {
    const bounded = intersect(on("Gt", "1"), on("NotIn", "5"));
    expect([on("In", "a"), on("NotIn", "a"), on("Gt", "1"), bounded, on("DoesNotExist")].map(operatorOf)).toEqual([
      "In",
      "NotIn",
      "Exists",
      "NotIn",
      "DoesNotExist",
    ]);
  });
});

describe("intersect", () => {
  it("keeps both bounds of one key, and finds no integer between neighbours (field scenario B1.15)", () => {
    const both = intersect(on("Gt", "2"), on("Lt", "9"));
    expect(["2", "3", "8", "9"].filter((value) => allows(both, value))).toEqual(["3", "8"]);
    expect(isImpossible(intersect(on("Gt", "4"), on("Lt", "5")))).toBe(true);
  });

  it.each<[Requirement, Requirement, Requirement]>([
    [on("In", "a", "b"), on("In", "b", "c"), on("In", "b")],
    [on("In", "a", "b"), on("NotIn", "b"), on("In", "a")],
    [on("NotIn", "a"), on("NotIn", "b"), on("NotIn", "a", "b")],
    [on("Exists"), on("In", "a"), on("In", "a")],
    [on("DoesNotExist"), on("NotIn", "a"), on("DoesNotExist")],
    [on("In", "1", "7", "x"), on("Gt", "2"), on("In", "7")],
    [on("Gt", "2"), on("Gte", "5"), on("Gt", "4")],
  ])("of %o and %o is %o", (a, b, expected) => {
    expect(intersect(a, b)).toEqual(expected);
  });

  it("keeps the larger number of distinct values", () => {
    const both = intersect(requirement("k", "Exists", [], 3), requirement("k", "In", ["a", "b"], 2));
    expect(both.minValues).toBe(3);
    expect(intersect(on("Exists"), both).minValues).toBe(3);
  });
});

describe("sets of requirements", () => {
  it("intersect entries of one key, and sets key by key", () => {
    const merged = intersectAll(set("In", "a", "b"), requirementsOfLabels({ k: "b", other: "x" }), new Map());
    expect(requirementEntries(merged)).toEqual([
      { key: "k", operator: "In", values: ["b"] },
      { key: "other", operator: "In", values: ["x"] },
    ]);
  });

  it("trust the current spelling of a node's label over the old one", () => {
    const node = requirementsOfLabels({ "beta.kubernetes.io/os": "windows", "kubernetes.io/os": "linux" });
    expect(requirementEntries(node)).toEqual([{ key: "kubernetes.io/os", operator: "In", values: ["linux"] }]);
  });

  it("are written with the operators every CRD version knows, exclusions beside bounds included (field scenario B1.14)", () => {
    const bounded = requirementsOf([
      { key: "k", operator: "Gte", values: ["3"], minValues: 2 },
      { key: "k", operator: "Lte", values: ["8"] },
      { key: "k", operator: "NotIn", values: ["5", "99"] },
    ]);
    expect(requirementEntries(bounded)).toEqual([
      { key: "k", operator: "Gt", values: ["2"], minValues: 2 },
      { key: "k", operator: "Lt", values: ["9"] },
      { key: "k", operator: "NotIn", values: ["5"] },
    ]);
  });

  it("write any integer as a bound that every CRD version accepts", () => {
    expect(requirementEntries(set("Gte", "0"))).toEqual([{ key: "k", operator: "Lt", values: ["9007199254740992"] }]);
  });
});

describe("firstConflict", () => {
  it("names the first shared key without a common value", () => {
    const a = requirementsOfLabels({ z: "1", b: "1", a: "1" });
    const b = requirementsOfLabels({ z: "2", b: "2", c: "2" });
    expect(firstConflict(a, b)).toEqual({
      key: "b",
      found: requirement("b", "In", ["1"]),
      wanted: requirement("b", "In", ["2"]),
    });
    expect(firstConflict(b, a)?.found).toEqual(requirement("b", "In", ["2"]));
  });

  it("lets keys pass that only one side defines", () => {
    expect(firstConflict(set("In", "a"), requirementsOfLabels({ other: "x" }))).toBeUndefined();
  });

  it("sees no conflict where both sides accept an absent label", () => {
    expect(firstConflict(set("DoesNotExist"), set("NotIn", "a"))).toBeUndefined();
    expect(firstConflict(set("DoesNotExist"), set("DoesNotExist"))).toBeUndefined();
    expect(firstConflict(set("DoesNotExist"), set("Exists"))).toBeDefined();
  });
});

describe("firstIncompatibility", () => {
  it.each<[string, Requirements, Requirements, boolean]>([
    ["NotIn, undefined", new Map(), set("NotIn", "x"), true],
    ["DoesNotExist, undefined", new Map(), set("DoesNotExist"), true],
    ["In, undefined", new Map(), set("In", "x"), false],
    ["Exists, undefined", new Map(), set("Exists"), false],
    ["Gt, undefined", new Map(), set("Gt", "1"), false],
    ["no wish, defined", set("In", "x"), new Map(), true],
    ["In with the value, defined", set("In", "x"), set("In", "x"), true],
    ["In with another value, defined", set("In", "x"), set("In", "y"), false],
    ["NotIn the only value, defined", set("In", "x"), set("NotIn", "x"), false],
    ["NotIn another value, defined", set("In", "x"), set("NotIn", "y"), true],
    ["Exists, defined", set("In", "x"), set("Exists"), true],
    ["DoesNotExist, defined", set("In", "x"), set("DoesNotExist"), false],
  ])("judges a custom label (conformance A4): %s", (_title, node, pod, compatible) => {
    expect(firstIncompatibility(node, pod, wellKnownLabels) === undefined).toBe(compatible);
  });

  it("lets a new node leave a well-known label open, but not a node that exists", () => {
    const pod = requirementsOfLabels({ "topology.kubernetes.io/zone": "a" });
    expect(firstIncompatibility(new Map(), pod, wellKnownLabels)).toBeUndefined();
    expect(firstIncompatibility(new Map(), pod, strict)?.key).toBe("topology.kubernetes.io/zone");
  });

  it("refuses an undefined label that must exist besides not having a value", () => {
    const pod = intersectAll(set("Exists"), set("NotIn", "x"));
    expect(firstIncompatibility(new Map(), pod, strict)?.key).toBe("k");
  });

  it("refuses a pod that contradicts itself, though the label is undefined", () => {
    const pod = intersectAll(set("In", "x"), set("In", "y"));
    expect(firstIncompatibility(new Map(), pod, new Set(["k"]))?.key).toBe("k");
  });
});

describe("descriptions", () => {
  it.each<[Requirement, string]>([
    [on("In", "b", "a"), "k In [a, b]"],
    [on("Exists"), "k Exists"],
    [on("DoesNotExist"), "k DoesNotExist"],
    [on("Lt", "9"), "k <= 8"],
    [intersect(on("Exists"), on("NotIn", "a")), "k Exists and NotIn [a]"],
    [[on("Gt", "2"), on("Lt", "9"), on("NotIn", "5")].reduce(intersect), "k >= 3 and <= 8 and NotIn [5]"],
    [intersect(on("In", "a"), on("In", "b")), "k contradicts itself"],
    [requirement("k", "Exists", [], 3), "k Exists (at least 3 values)"],
    [on("In", ..."abcdefghij"), "k In [a, b, c, d, e, f, g, h and 2 more]"],
  ])("of %o read %s", (described, text) => {
    expect(describeRequirement(described)).toBe(text);
  });

  it("of a conflict name key, finding and wish", () => {
    const conflict = { key: "k", found: on("In", "a"), wanted: on("In", "b") };
    expect(describeConflict(conflict)).toBe("k In [b] has nothing in common with k In [a]");
  });

  it.each([
    ["karpenter.k8s.aws/instance-familly", "karpenter.k8s.aws/instance-family"],
    ["zone", "topology.kubernetes.io/zone"],
    ["topology.kubernetesio/zone", "topology.kubernetes.io/zone"],
    ["node.kubernetes.io/instance-typ", "node.kubernetes.io/instance-type"],
    ["karpenter.sh/capacitytype", "karpenter.sh/capacity-type"],
  ])("of an undefined key suggest the label that was meant: %s", (key, meant) => {
    const conflict = { key, found: undefined, wanted: requirement(key, "Exists") };
    expect(describeConflict(conflict)).toBe(
      `label ${key} is not defined, wanted ${key} Exists; did you mean ${meant}?`,
    );
  });

  it("of a foreign key name it without a guess (field scenario B1.17)", () => {
    const key = "eks.amazonaws.com/nodegroup";
    const conflict = { key, found: undefined, wanted: requirement(key, "In", ["blue"]) };
    expect(describeConflict(conflict)).toBe(`label ${key} is not defined, wanted ${key} In [blue]`);
  });
});
