import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import { claimOfferings } from "../../../shared/provisioning/claim-offerings.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { oneOf } from "../../support/node-pools.ts";
import { snapshotWith } from "../../support/snapshot.ts";

function claimAsking(spec: Partial<NodeClaim["spec"]>): NodeClaim {
  const claim = nodeClaim("made-by-hand");
  return { ...claim, spec: { ...claim.spec, ...spec } };
}

const offered = (claim: NodeClaim) =>
  claimOfferings(claim, snapshotWith()).map(({ instanceType, zone }) => `${instanceType} ${zone}`);

describe("offerings for a claim that nobody planned", () => {
  it("meet its requirements, cheapest first", () => {
    const requirements = [oneOf(label.zone, "b"), oneOf(label.instanceType, "m5.2xlarge", "m5.xlarge")];
    expect(offered(claimAsking({ requirements }))).toEqual(["m5.xlarge b", "m5.2xlarge b"]);
  });

  it("hold what it requests", () => {
    const resources = { requests: { cpu: "9" } };
    expect(new Set(offered(claimAsking({ resources })))).toEqual(
      new Set(["m5.4xlarge a", "m5.4xlarge b", "m5.4xlarge c"]),
    );
  });

  it("are none when its EC2NodeClass is gone", () => {
    const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gone" };
    expect(offered(claimAsking({ nodeClassRef }))).toEqual([]);
  });
});
