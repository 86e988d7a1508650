import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { overlaidPools } from "../../../shared/cloud/node-overlays.ts";
import { type Change, nodeOverlayManifest, problemsOf } from "../../support/api-manifests.ts";
import { conforms } from "../../support/conformance.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";

const problems = (...changes: readonly Change[]) => problemsOf(nodeOverlayManifest(...changes));
const requiring = (...entries: readonly object[]) => problems(["spec.requirements", entries]);
const priced = (text: unknown) => problems(["spec.price", text]);
const adjusted = (text: unknown) => problems(["spec.priceAdjustment", text]);

describe("a NodeOverlay's requirements", () => {
  conforms(
    "no.req | nodepool key, capacity-type, kubernetes domains/subdomains, supported operators, empty list, set still non-empty after overlap (x9) | accepted",
    () => {
      const some = { operator: "In", values: ["x"] };
      expect(requiring({ key: label.nodePool, ...some })).toEqual([]);
      expect(requiring({ key: label.capacityType, operator: "In", values: ["spot"] })).toEqual([]);
      for (const key of ["kubernetes.io/x", "k8s.io/x", "sub.kubernetes.io/x", "sub.k8s.io/x"]) {
        expect(requiring({ key, ...some })).toEqual([]);
      }
      for (const operator of ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]) {
        const values = operator.endsWith("ist") || operator === "Exists" ? [] : ["1"];
        expect(requiring({ key: "team", operator, values })).toEqual([]);
      }
      expect(requiring()).toEqual([]);
      const overlapping = [
        { key: label.zone, operator: "In", values: ["a", "b"] },
        { key: label.zone, operator: "NotIn", values: ["a"] },
      ];
      expect(requiring(...overlapping)).toEqual([]);
    },
  );

  conforms(
    "no.req | In or NotIn without values, malformed key, too long, unsupported operator, restricted domain, bad numeric operands (x8) | rejected",
    () => {
      const faulty = [
        [{ key: "team", operator: "In", values: [] }, "requirements[0].values: found [], expected at least one value"],
        [
          { key: "team", operator: "NotIn", values: [] },
          "requirements[0].values: found [], expected at least one value",
        ],
        [{ key: "test.com.com}", operator: "Exists" }, "requirements[0].key"],
        [{ key: `${"a".repeat(64)}`, operator: "Exists" }, "requirements[0].key"],
        [{ key: "team", operator: "unknown", values: ["a"] }, "requirements[0].operator"],
        [{ key: "karpenter.sh/x", operator: "Exists" }, "requirements[0].key"],
        [{ key: label.hostname, operator: "In", values: ["a"] }, "requirements[0].key"],
        [{ key: "karpenter.k8s.aws/instance-tenancy", operator: "Exists" }, "requirements[0].key"],
        [{ key: label.reservationId, operator: "Exists" }, "requirements[0].key"],
        [{ key: "karpenter.k8s.aws/placement-group-id", operator: "Exists" }, "requirements[0].key"],
        [{ key: "team", operator: "Gt", values: ["-1"] }, "requirements[0].values"],
        [{ key: "team", operator: "Lt", values: ["1", "2"] }, "requirements[0].values"],
        [{ key: "team", operator: "Gte", values: ["a"] }, "requirements[0].values"],
        [{ key: "team", operator: "Lte", values: [] }, "requirements[0].values"],
      ] as const;
      for (const [entry, expected] of faulty) {
        expect(requiring(entry), JSON.stringify(entry)).toEqual([expect.stringContaining(expected)]);
      }
    },
  );
});

describe("a NodeOverlay's price", () => {
  conforms("no.price | +% , −% , −100 %, >100 %, ± integers, ± floats (x9) | accepted", () => {
    const sound = ["+10%", "-10%", "-100%", "+500%", "+5", "-5", "+0.05", "-3.25", "+.5"];
    for (const text of sound) expect(adjusted(text), text).toEqual([]);
  });

  conforms(
    "no.price | 15 malformed absolute prices (sign, %, exponent, hex, text, blanks, bare point …) | rejected",
    () => {
      const malformed = ["+1", "-1", "1%", "1e3", "0x1f", "free", "", " ", "1 ", " 1", "1.", ".5", ".", "1.2.3", "1,5"];
      expect(malformed).toHaveLength(15);
      for (const text of malformed) {
        expect(priced(text), JSON.stringify(text)).toEqual([expect.stringContaining("spec.price: found")]);
      }
    },
  );

  conforms("no.price | integer; float (x2) | accepted", () => {
    expect(priced("3")).toEqual([]);
    expect(priced("0.25")).toEqual([]);
  });
});

conforms("no.capacity | custom extended resource | accepted", () => {
  expect(problems([["spec", "capacity", "smarter-devices/fuse"], "1"])).toEqual([]);
});

conforms("no.order | weight; equal weights by name (x2) | heavier first; later name first", () => {
  const order = (...overlays: readonly Parameters<typeof nodeOverlay>[]) =>
    overlaidPools(
      overlays.map((each) => nodeOverlay(...each)),
      [],
    ).verdicts.map(({ overlay }) => overlay.metadata.name);
  expect(order(["none"], ["light", { weight: 1 }], ["heavy", { weight: 100 }])).toEqual(["heavy", "light", "none"]);
  expect(order(["a", { weight: 10 }], ["c", { weight: 10 }], ["b", { weight: 10 }])).toEqual(["c", "b", "a"]);
});
