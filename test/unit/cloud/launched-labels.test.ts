import { describe, expect, it } from "vitest";
import { launchedLabels, launchedResources } from "../../../shared/cloud/launched-labels.ts";
import { formatPlacementGroup } from "../../../shared/cloud/placement-group.ts";
import { instance, instanceType } from "../../support/launches.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodeClass } from "../../support/node-classes.ts";

const classWithGroup = () => {
  const made = nodeClass(
    { placementGroupSelector: { name: "web" } },
    { subnets: [{ id: "subnet-z1", zone: "z1", zoneID: "use1-az4" }] },
  );
  const group = formatPlacementGroup({ id: "pg-1", name: "web", strategy: "partition", partitionCount: 3 });
  return { ...made, metadata: { ...made.metadata, annotations: { "journeyman.sh/placement-group": group } } };
};

describe("the labels of a NodeClaim once it is launched", () => {
  it("say where it lies, on what hardware, and in which partition EC2 put it", () => {
    const launched = { type: instanceType("m5.large"), nodeClass: classWithGroup() };
    expect(launchedLabels(nodeClaim("a"), instance("i-1", { partitionNumber: 3 }), launched)).toEqual({
      "node.kubernetes.io/instance-type": "m5.large",
      "kubernetes.io/arch": "amd64",
      "topology.kubernetes.io/zone": "z1",
      "topology.k8s.aws/zone-id": "use1-az4",
      "karpenter.sh/capacity-type": "spot",
      "karpenter.k8s.aws/instance-tenancy": "default",
      "karpenter.k8s.aws/placement-group-id": "pg-1",
      "karpenter.k8s.aws/placement-group-partition": "3",
    });
  });

  it("are those that the instance itself tells when its class and type are gone", () => {
    const gone = { type: undefined, nodeClass: undefined };
    expect(launchedLabels(nodeClaim("a"), instance("i-1", { partitionNumber: 3 }), gone)).toEqual({
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.kubernetes.io/zone": "z1",
      "karpenter.sh/capacity-type": "spot",
      "karpenter.k8s.aws/instance-tenancy": "default",
    });
  });
});

describe("the resources of a NodeClaim once it is launched", () => {
  const resources = { cpu: 2_000, "vpc.amazonaws.com/efa": 1 };
  const claim = nodeClaim("a");

  it("have EFA interfaces only if some were made", () => {
    expect(launchedResources(resources, claim, nodeClass())).toEqual({ cpu: 2_000 });
    const requests = { "vpc.amazonaws.com/efa": "1" };
    const asking = { ...claim, spec: { ...claim.spec, resources: { requests } } };
    expect(launchedResources(resources, asking, nodeClass())).toEqual(resources);
    const networkInterfaces = [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" as const }];
    expect(launchedResources(resources, claim, nodeClass({ networkInterfaces }))).toEqual(resources);
  });
});
