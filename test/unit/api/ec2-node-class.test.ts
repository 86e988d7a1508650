import { describe, expect, it } from "vitest";
import { ec2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import { type Change, nodeClassManifest, problemsOf } from "../../support/api-manifests.ts";

const problems = (...changes: readonly Change[]) => problemsOf(nodeClassManifest(...changes));

/** One problem, at the field, that says so. */
function expectProblem(path: string, value: unknown, expected: string): void {
  const found = problems([path, value]);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(expected);
}

describe("an EC2NodeClass", () => {
  it("has Karpenter's metadata options unless it states others, each on its own", () => {
    const manifest = nodeClassManifest(["spec.metadataOptions", { httpTokens: "optional" }]);
    expect(ec2NodeClass.parse(manifest).spec.metadataOptions).toEqual({
      httpEndpoint: "enabled",
      httpProtocolIPv6: "disabled",
      httpPutResponseHopLimit: 1,
      httpTokens: "optional",
    });
  });

  it("has exactly one of role and instanceProfile", () => {
    expect(problems(["spec.role", undefined])[0]).toContain("spec.role: found neither, expected exactly one of role");
    expect(problems(["spec.instanceProfile", "p"])[0]).toContain("spec.instanceProfile: found both");
    expect(problems(["spec.role", undefined], ["spec.instanceProfile", "p"])).toEqual([]);
  });

  it("takes a placeholder for the cluster's name as it stands", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what Karpenter's examples contain
    expect(problems(["spec.role", "KarpenterNodeRole-${CLUSTER_NAME}"])).toEqual([]);
  });

  it.each(["eks:eks-cluster-name", "kubernetes.io/cluster/x", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", ""])(
    "may not set the tag %j",
    (key) => {
      expect(problems([["spec", "tags", key], "x"])[0]).toContain(
        "expected a key other than those set on every instance",
      );
    },
  );

  it("may set a Name tag", () => {
    expect(problems(["spec.tags", { Name: "x" }])).toEqual([]);
  });
});

describe("an EC2NodeClass's images", () => {
  it.each([
    [[{ alias: "al2023@v20260101" }], undefined],
    [[{ alias: "bottlerocket@latest" }], "Custom"],
    [[{ alias: "windows2022@latest" }], "Windows2022"],
    [[{ id: "ami-123" }, { name: "x", owner: "self" }, { tags: { a: "*" } }], "AL2"],
    [[{ ssmParameter: "/x" }], "AL2023"],
  ])("may be %j with the family %s", (terms, family) => {
    expect(problems(["spec.amiSelectorTerms", terms], ["spec.amiFamily", family])).toEqual([]);
  });

  it.each([
    [[{ alias: "ubuntu@latest" }], "family of al2, al2023"],
    [[{ alias: "al2023" }], "family@version"],
    [[{ alias: `al2023@${"x".repeat(30)}` }], "family@version"],
    [[{ alias: "windows2022@v1" }], "expected the version latest"],
    [[{ alias: "al2023@latest" }, { alias: "al2@latest" }], "2 terms with an alias among them"],
    [[{ alias: "al2023@latest", name: "x" }], "no name beside alias"],
    [[], "at least 1 entry"],
  ])("may not be %j", (terms, expected) => {
    expectProblem("spec.amiSelectorTerms", terms, expected);
  });

  it.each([
    [{ owner: "self" }, "at least one of tags, id, name, alias, ssmParameter"],
    [{ id: "ami-1", name: "x" }, "no name beside id"],
    [{ tags: { a: "" } }, "a key and a value"],
  ])("may not be selected by %j", (term, expected) => {
    expect(problems(["spec.amiSelectorTerms", [term]], ["spec.amiFamily", "AL2"])[0]).toContain(expected);
  });

  it("need a family that agrees with the alias, or one at all without an alias", () => {
    expectProblem("spec.amiFamily", "AL2", "expected the alias's family, AL2023, or Custom");
    expectProblem("spec.amiSelectorTerms", [{ id: "ami-1" }], "spec.amiFamily: found nothing, expected an AMI family");
  });
});

describe("an EC2NodeClass's network", () => {
  it.each([
    ["spec.subnetSelectorTerms", [{}], "at least one of tags, id"],
    ["spec.subnetSelectorTerms", [{ id: "subnet-1", tags: { a: "b" } }], "no tags beside id"],
    ["spec.subnetSelectorTerms", [{ id: "sg-1" }], "a subnet id"],
    ["spec.subnetSelectorTerms", [{ id: "subnet-1", name: "x" }], "unknown field"],
    ["spec.securityGroupSelectorTerms", [{ name: "x", tags: { a: "b" } }], "no tags beside name"],
    ["spec.securityGroupSelectorTerms", [{ id: "x" }], "a security group id"],
    ["spec.capacityReservationSelectorTerms", [{ ownerID: "123456789012" }], "at least one of tags, id"],
    ["spec.capacityReservationSelectorTerms", [{ id: "cr-1", ownerID: "123456789012" }], "no ownerID beside id"],
    ["spec.capacityReservationSelectorTerms", [{ tags: { a: "b" }, ownerID: "1" }], "twelve digits"],
    ["spec.placementGroupSelector", {}, "found neither, expected exactly one of name and id"],
    ["spec.placementGroupSelector", { name: "a", id: "pg-1" }, "found both"],
    ["spec.connectionTracking", {}, "at least one timeout"],
    ["spec.connectionTracking", { udpTimeout: 61 }, "at most 60"],
  ])("may not have %s %j", (path, value, expected) => {
    expectProblem(path, value, expected);
  });

  it("has a primary interface, each place once, and one efa-only interface to a card", () => {
    const at = (networkCardIndex: number, deviceIndex: number, interfaceType: string) => ({
      networkCardIndex,
      deviceIndex,
      interfaceType,
    });
    const [primary, efa] = [at(0, 0, "interface"), at(1, 1, "efa-only")];
    expect(problems(["spec.networkInterfaces", [primary, efa]])).toEqual([]);
    expectProblem("spec.networkInterfaces", [efa], "an interface at card 0, device 0");
    expectProblem("spec.networkInterfaces", [primary, efa, at(1, 1, "interface")], "[2]");
    expectProblem("spec.networkInterfaces", [primary, efa, at(1, 2, "efa-only")], "at most one efa-only interface");
  });
});

describe("an EC2NodeClass's volumes", () => {
  it.each(["20Gi", "59000Gi", "64000G", "58Ti", "64T"])("may be %s large", (volumeSize) => {
    expect(problems(["spec.blockDeviceMappings", [{ ebs: { volumeSize } }]])).toEqual([]);
  });

  it.each([
    [[{ ebs: { volumeSize: "20" } }], "a whole number of Gi, G, Ti or T"],
    [[{ ebs: { volumeSize: 20 } }], "a whole number of Gi, G, Ti or T"],
    [[{ ebs: { volumeSize: "0Gi" } }], "a whole number"],
    [[{ ebs: { volumeSize: "59001Gi" } }], "a whole number"],
    [[{ ebs: { volumeType: "gp3" } }], "a volumeSize or a snapshotID"],
    [[{ ebs: { volumeSize: "1Gi", volumeInitializationRate: 100 } }], "a snapshotID beside it"],
    [[{ ebs: { snapshotID: "s", volumeInitializationRate: 99 } }], "at least 100"],
    [[{ ebs: { volumeSize: "1Gi", volumeType: "gp4" } }], 'expected one of "standard"'],
    [[{ rootVolume: true }, { rootVolume: true }], "[1].rootVolume: found true, expected at most one root volume"],
  ])("may not be %j", (mappings, expected) => {
    expectProblem("spec.blockDeviceMappings", mappings, expected);
  });
});

describe("an EC2NodeClass's kubelet settings", () => {
  it("may be the managed ones, and any other of the kubelet's own, which pass through", () => {
    const kubelet = {
      maxPods: 20,
      kubeReserved: { cpu: "100m", pid: "100" },
      evictionHard: { "memory.available": "5%", "nodefs.inodesFree": "100" },
      evictionSoft: { "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "memory.available": "1m30s" },
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      clusterDomain: "cluster.local",
    };
    expect(problems(["spec.kubelet", kubelet])).toEqual([]);
    expect(ec2NodeClass.parse(nodeClassManifest(["spec.kubelet", kubelet])).spec.kubelet).toEqual(kubelet);
  });

  it.each([
    [{ maxPod: 20 }, "did you mean maxPods?"],
    [{ maxPods: -1 }, "at least 0"],
    [{ registerWithTaints: [] }, "taints in the NodePool's template instead"],
    [{ kubeReserved: { gpu: "1" } }, 'found "gpu", expected only cpu, memory'],
    [{ systemReserved: { cpu: "-1" } }, "a non-negative quantity"],
    [{ systemReserved: { cpu: 1 } }, "put it in quotes"],
    [{ evictionHard: { "disk.available": "5%" } }, "expected only memory.available"],
    [{ evictionHard: { "memory.available": "101%" } }, "a share from 0% to 100%"],
    [{ evictionSoft: { "memory.available": "5%" } }, "an entry for it in evictionSoftGracePeriod too"],
    [{ evictionSoftGracePeriod: { "memory.available": "1m" } }, "an entry for it in evictionSoft too"],
    [{ imageGCHighThresholdPercent: 101 }, "at most 100"],
    [{ imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 50 }, "more than imageGCLowThresholdPercent, 50"],
  ])("may not be %j", (kubelet, expected) => {
    expectProblem("spec.kubelet", kubelet, expected);
  });

  it("state grace periods as durations", () => {
    const kubelet = {
      evictionSoft: { "memory.available": "5%" },
      evictionSoftGracePeriod: { "memory.available": "soon" },
    };
    expectProblem("spec.kubelet", kubelet, "a duration such as 1m30s");
  });
});
