import { type Change, nodeClassManifest } from "../api-manifests.ts";
import { type ApiCase, type ApiRows, accepted, atRuntime, rejected } from "./api-case.ts";

const nodeClass = (fields: object) =>
  nodeClassManifest(...Object.entries(fields).map(([field, value]): Change => [["spec", field], value]));
const good = (...all: readonly object[]): readonly ApiCase[] => all.map((fields) => accepted(nodeClass(fields)));
const bad = (at: string, ...all: readonly object[]): readonly ApiCase[] =>
  all.map((fields) => rejected(at, nodeClass(fields)));

const tags = { team: "a" };
const volume = (ebs: object) => ({ blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs }] });
const card = (networkCardIndex: number, deviceIndex: number, interfaceType = "interface") => ({
  networkCardIndex,
  deviceIndex,
  interfaceType,
});
const tooMany = Array.from({ length: 31 }, (_, index) => ({ id: `subnet-${index}` }));
const metadataOptions = {
  httpEndpoint: "enabled",
  httpProtocolIPv6: "disabled",
  httpPutResponseHopLimit: 1,
  httpTokens: "required",
};

/** The rules of an EC2NodeClass (karpenter-aws §1.1). */
export const nodeClassRows: ApiRows = {
  "an EC2NodeClass's subnets and security groups": [
    ...good(
      { subnetSelectorTerms: [{ id: "subnet-0a1b" }, { tags }] },
      { securityGroupSelectorTerms: [{ id: "sg-0a1b" }, { name: "nodes" }, { tags: { team: "*" } }] },
    ),
    ...bad(
      "spec.subnetSelectorTerms",
      ...[[], [{}], [{ tags, id: "subnet-0a1b" }], [{ id: "net-1" }], tooMany].map((subnetSelectorTerms) => ({
        subnetSelectorTerms,
      })),
    ),
    ...bad(
      "spec.subnetSelectorTerms",
      ...[{ "": "a" }, { team: "" }].map((found) => ({ subnetSelectorTerms: [{ tags: found }] })),
    ),
    ...bad(
      "spec.securityGroupSelectorTerms",
      ...[[], [{}], [{ id: "x" }], [{ id: "sg-1", name: "a" }], [{ tags, name: "a" }]].map(
        (securityGroupSelectorTerms) => ({ securityGroupSelectorTerms }),
      ),
    ),
  ],
  "an EC2NodeClass's images": [
    ...good(
      { amiSelectorTerms: [{ alias: "al2023@v20260101" }], amiFamily: "AL2023" },
      { amiSelectorTerms: [{ alias: "bottlerocket@1.20.0" }], amiFamily: "Custom" },
      { amiSelectorTerms: [{ alias: "windows2022@latest" }] },
      {
        amiSelectorTerms: [{ id: "ami-1" }, { name: "a", owner: "self" }, { tags }, { ssmParameter: "/a" }],
        amiFamily: "AL2",
      },
    ),
    ...bad(
      "spec.amiSelectorTerms",
      ...[
        ...[[], [{ alias: "al2023" }], [{ alias: "ubuntu@latest" }], [{ alias: "windows2022@2024" }]],
        ...[[{ alias: `al2023@${"v".repeat(30)}` }], [{ alias: "al2023@latest" }, { id: "ami-1" }]],
        [{ alias: "al2023@latest", tags }],
      ].map((amiSelectorTerms) => ({ amiSelectorTerms })),
    ),
    ...bad(
      "spec.amiSelectorTerms",
      ...[[{ owner: "self" }], [{ id: "ami-1", tags }], [{ id: "image-1" }]].map((amiSelectorTerms) => ({
        amiSelectorTerms,
        amiFamily: "AL2",
      })),
    ),
    ...bad(
      "spec.amiFamily",
      { amiSelectorTerms: [{ id: "ami-1" }] },
      { amiFamily: "Bottlerocket" },
      { amiFamily: "Ubuntu" },
    ),
  ],
  "an EC2NodeClass's identity, tags and placement": [
    ...good(
      { role: undefined, instanceProfile: "nodes" },
      { tags: { Name: "node", team: "a" } },
      { placementGroupSelector: { name: "near" } },
      { placementGroupSelector: { id: "pg-0a1b" } },
    ),
    ...bad("spec.role", { role: undefined }, { role: "" }),
    ...bad("spec.instanceProfile", { instanceProfile: "nodes" }),
    ...bad(
      "spec.tags",
      ...[
        ...[
          "",
          "eks:eks-cluster-name",
          "kubernetes.io/cluster/shop",
          "karpenter.sh/nodepool",
          "karpenter.sh/nodeclaim",
        ],
        "karpenter.k8s.aws/ec2nodeclass",
      ].map((key) => ({ tags: { [key]: "a" } })),
    ),
    ...bad(
      "spec.placementGroupSelector",
      ...[{}, { name: "a", id: "pg-1" }, { name: "" }, { id: "group" }].map((placementGroupSelector) => ({
        placementGroupSelector,
      })),
    ),
  ],
  "an EC2NodeClass's reservations": [
    ...good({
      capacityReservationSelectorTerms: [
        { id: "cr-0a1b" },
        { tags, ownerID: "123456789012" },
        { instanceMatchCriteria: "open" },
      ],
    }),
    ...bad(
      "spec.capacityReservationSelectorTerms",
      ...[
        ...[{}, { ownerID: "123456789012" }, { id: "reservation" }, { id: "cr-1", tags }, { tags, ownerID: "me" }],
        { instanceMatchCriteria: "any" },
      ].map((term) => ({ capacityReservationSelectorTerms: [term] })),
    ),
  ],
  "an EC2NodeClass's volumes": [
    ...good(
      ...["20Gi", "59000Gi", "64000G", "17Ti", "58Ti", "64T"].map((volumeSize) => volume({ volumeSize })),
      volume({ snapshotID: "snap-1", volumeInitializationRate: 300, volumeType: "gp3", iops: 3000, throughput: 125 }),
      { blockDeviceMappings: [{ rootVolume: true, ebs: { volumeSize: "20Gi" } }, { ebs: { volumeSize: "20Gi" } }] },
    ),
    ...bad(
      "spec.blockDeviceMappings[0].ebs",
      ...[
        ...["0Gi", "59001Gi", "64001G", "59Ti", "65T", "20", "20Mi", "1.5Ti"].map((volumeSize) => ({ volumeSize })),
        ...[
          {},
          { volumeSize: "20Gi", volumeInitializationRate: 200 },
          { snapshotID: "snap-1", volumeInitializationRate: 99 },
        ],
        { volumeSize: "20Gi", volumeType: "gp4" },
      ].map(volume),
    ),
    ...bad("rootVolume", {
      blockDeviceMappings: [1, 2].map(() => ({ rootVolume: true, ebs: { volumeSize: "20Gi" } })),
    }),
    ...bad("spec.instanceStorePolicy", { instanceStorePolicy: "RAID1" }),
  ],
  "an EC2NodeClass's network": [
    ...good(
      { networkInterfaces: [] },
      { networkInterfaces: [card(0, 0), card(0, 1, "efa-only"), card(1, 0, "efa-only")] },
      { connectionTracking: { udpTimeout: 30 }, associatePublicIPAddress: false, ipPrefixCount: 0 },
    ),
    ...bad(
      "spec.networkInterfaces",
      ...[
        ...[[card(0, 1)], [card(0, 0, "efa-only")], [card(0, 0), card(0, 0)], [card(0, 0), card(0, 1, "efa")]],
        [card(0, 0), card(1, 0, "efa-only"), card(1, 1, "efa-only")],
      ].map((networkInterfaces) => ({ networkInterfaces })),
    ),
    ...bad(
      "spec.connectionTracking",
      ...[{}, { udpTimeout: 61 }, { udpStreamTimeout: 59 }, { tcpEstablishedTimeout: 432_001 }].map(
        (connectionTracking) => ({ connectionTracking }),
      ),
    ),
    ...bad("spec.ipPrefixCount", { ipPrefixCount: -1 }),
  ],
  "an EC2NodeClass's other fields": [
    accepted(nodeClass({}), [[["spec", "metadataOptions"], metadataOptions]]),
    accepted(nodeClass({ metadataOptions: { httpTokens: "optional" } }), [
      [["spec", "metadataOptions"], { ...metadataOptions, httpTokens: "optional" }],
    ]),
    ...good({
      cpuOptions: { nestedVirtualization: "enabled" },
      detailedMonitoring: true,
      context: "c",
      userData: "#!",
    }),
    ...bad(
      "spec.metadataOptions",
      { metadataOptions: { httpPutResponseHopLimit: 65 } },
      { metadataOptions: { httpTokens: "no" } },
    ),
    ...bad("spec.cpuOptions", { cpuOptions: { nestedVirtualization: "yes" } }),
  ],
  // The controller looks at the settings, not the CRD.
  "an EC2NodeClass's kubelet": [
    accepted(nodeClass({ kubelet: { maxPods: 20, shutdownGracePeriod: "30s" } }), [
      [["spec", "kubelet"], { maxPods: 20, shutdownGracePeriod: "30s" }],
    ]),
    atRuntime("spec.kubelet", nodeClass({ kubelet: { maxPods: -1 } })),
    atRuntime("spec.kubelet", nodeClass({ kubelet: { kubeReserved: { gpu: "1" } } })),
  ],
};
