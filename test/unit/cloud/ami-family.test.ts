import { describe, expect, it } from "vitest";
import { resolveAmiFamily } from "../../../shared/cloud/ami-family.ts";
import { nodeClass } from "../../support/node-classes.ts";

describe("the AMI family of a class", () => {
  it.each([
    ["al2@latest", "AL2"],
    ["al2023@v20250101", "AL2023"],
    ["bottlerocket@1.20.0", "Bottlerocket"],
    ["windows2022@latest", "Windows2022"],
  ])("follows from the alias %s", (alias, family) => {
    expect(resolveAmiFamily(nodeClass({ amiSelectorTerms: [{ alias }] }))).toBe(family);
  });

  it("is the field where it is set, even beside an alias", () => {
    expect(resolveAmiFamily(nodeClass({ amiFamily: "Custom" }))).toBe("Custom");
    expect(resolveAmiFamily(nodeClass({ amiFamily: "AL2", amiSelectorTerms: [{ id: "ami-1" }] }))).toBe("AL2");
  });
});
