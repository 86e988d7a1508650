import { describe, expect, it } from "vitest";
import { labelKeyFault, labelValueFault, restrictedLabelFault } from "../../../shared/api/label-syntax.ts";

describe("label keys", () => {
  it.each(["app", "app.kubernetes.io/name", "A_b-c.d", "x".repeat(63)])("accepts %s", (key) => {
    expect(labelKeyFault(key)).toBeUndefined();
  });

  it.each(["", "-a", "a-", "a b", "/a", "a/", "a/b/c", "UPPER.io/a", "x".repeat(64), `${"x".repeat(254)}/a`])(
    "refuses %j",
    (key) => {
      expect(labelKeyFault(key)).toContain("a label key");
    },
  );
});

describe("label values", () => {
  it.each(["", "a", "A_b-c.d", "x".repeat(63)])("accepts %j", (value) => {
    expect(labelValueFault(value)).toBeUndefined();
  });

  it.each(["-a", "a b", "x".repeat(64), "a/b"])("refuses %j", (value) => {
    expect(labelValueFault(value)).toContain("a label value");
  });
});

describe("restricted labels", () => {
  it.each([
    "team",
    "kubernetes.io/arch",
    "sub.kubernetes.io/x",
    "kops.k8s.io/instancegroup",
    "karpenter.sh/capacity-type",
    "karpenter.k8s.aws/instance-cpu",
    "topology.ebs.csi.aws.com/zone",
  ])("leaves %s to the user", (key) => {
    expect(restrictedLabelFault(key)).toBeUndefined();
  });

  it.each(["kubernetes.io/hostname", "karpenter.sh/registered", "sub.karpenter.sh/x", "karpenter.k8s.aws/x"])(
    "keeps %s",
    (key) => {
      expect(restrictedLabelFault(key)).toBeDefined();
    },
  );

  it("refuses any domain that ends in the reserved one, as the CRD's plain suffix test does", () => {
    expect(restrictedLabelFault("xkarpenter.sh/foo")).toBeDefined();
  });

  it("names the well-known label that was probably meant", () => {
    expect(restrictedLabelFault("karpenter.k8s.aws/instance-catgory")).toContain(
      "karpenter.k8s.aws/instance-category?",
    );
  });
});
