import { describe, expect, it } from "vitest";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { launchTraits } from "../../../shared/cloud/launch-traits.ts";
import { nodeClaim } from "../../support/node-claims.ts";

function traitsOf(spec: Partial<NodeClaim["spec"]>) {
  const claim = nodeClaim("a");
  return launchTraits({ ...claim, spec: { ...claim.spec, ...spec } });
}

const requirement = (name: string, ...values: string[]) => ({
  key: `karpenter.k8s.aws/${name}`,
  operator: "In" as const,
  values,
});

describe("what a NodeClaim asks of its instance", () => {
  it("is shared hardware and nothing more, unless it says so", () => {
    const plain = { usesEfa: false, usesEnclaves: false, tenancy: "default" };
    expect(traitsOf({})).toEqual(plain);
    expect(traitsOf({ requirements: [requirement("instance-tenancy", "dedicated", "default")] })).toEqual(plain);
    expect(traitsOf({ resources: { requests: { "vpc.amazonaws.com/efa": "0" } } })).toEqual(plain);
  });

  it("is dedicated hardware when it allows nothing else", () => {
    const requirements = [requirement("instance-tenancy", "dedicated")];
    expect(traitsOf({ requirements })).toMatchObject({ tenancy: "dedicated" });
  });

  it("is EFA and enclaves for pods that request them", () => {
    const requests = { "vpc.amazonaws.com/efa": "1", "eks.amazonaws.com/nitro-sandbox": "2" };
    expect(traitsOf({ resources: { requests } })).toMatchObject({ usesEfa: true, usesEnclaves: true });
  });

  it("is a partition when it allows only that one", () => {
    const partitions = (...values: string[]) =>
      traitsOf({ requirements: [requirement("placement-group-partition", ...values)] });
    expect(partitions("2")).toMatchObject({ partition: 2 });
    expect(partitions("2", "3")).not.toHaveProperty("partition");
  });
});
