import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import { instanceTypesFor } from "../../../shared/cloud/instance-types.ts";
import { catalogOf } from "../../support/catalog.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, solve } from "../../support/karpenter-fixture.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";

const mib = 1024 ** 2;

conforms(
  'B1.31 podsPerCore 14 on 2 vCPU = 28, maxPods 110 -> scheduler says "Too many pods", no scale-up -> pods capacity = min(28,110). [KS#2080]',
  () => {
    const catalog = catalogOf({ "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 } });
    const pods = pendingPods(30, "web", { cpu: "10m", memory: "10Mi" });
    const nodesOf = (podsPerCore: number | undefined) => {
      const limited = nodeClass({ kubelet: { maxPods: 110, ...(podsPerCore !== undefined && { podsPerCore }) } });
      const { nodes, unscheduled } = solve({ catalog, pods, nodeClasses: [limited] });
      expect(unscheduled).toEqual([]);
      return nodes.map(({ pods: own }) => own.length).sort((a, b) => a - b);
    };
    expect(nodesOf(14)).toEqual([2, 28]);
    expect(nodesOf(undefined)).toEqual([30]);
    expect(nodesOf(100)).toEqual([30]);
  },
);

const name = "i4i.32xlarge";
const measured = nodeClass(
  {},
  {
    amis: [
      { id: "ami-arm", requirements: [{ key: label.arch, operator: "In", values: ["arm64"] }] },
      { id: "ami-new", requirements: [{ key: label.arch, operator: "In", values: ["amd64"] }] },
    ],
    subnets: [{ id: "subnet-1", zone: "us-east-1a" }],
  },
);
const large = {
  catalog: embeddedCatalog("us-east-1"),
  settings: { vmMemoryOverheadPercent: 0.075 },
  nodeClasses: [measured],
  pools: [
    nodePool("default", { requirements: [oneOf(label.instanceType, name), oneOf(label.capacityType, "on-demand")] }),
  ],
};
const fourPods = pendingPods(4, "db", { cpu: "1", memory: "240954Mi" });

/** MiB that pods may use, with what is kept for the node known to the byte. */
function allocatableMib(learnedMemory: NonNullable<Parameters<typeof solve>[0]>["learnedMemory"]): number {
  const options = { ...large.settings, reservedEnis: 0, unavailable: [], now: 0 };
  const types = instanceTypesFor(large.catalog, measured, { ...options, learnedMemory: learnedMemory ?? [] });
  return (types.find((type) => type.name === name)?.allocatable.memory ?? 0) / mib;
}

/** What the Node reports when its pods may use 1007423 MiB. */
const reported = { instanceType: name, imageId: "ami-new", capacityBytes: (1_007_423 + 8_462) * mib };

conforms(
  "B1.34 i4i.32xlarge 1024Gi, 4 pods x 240954Mi: real allocatable 1007423Mi holds 4, model 961470Mi holds 3 -> 2 nodes for life -> learned value -> 1. [KA#6611, KA#6652; measured overhead 1.7-5.3 % pytorch/ci-infra#910]",
  () => {
    expect(allocatableMib([])).toBe(961_470);
    expect(
      solve({ ...large, pods: fourPods })
        .nodes.map(({ pods }) => pods.length)
        .sort(),
    ).toEqual([1, 3]);
    expect(allocatableMib([reported])).toBe(1_007_423);
    const learned = solve({ ...large, pods: fourPods, learnedMemory: [reported] });
    expect(learned.nodes.map(({ pods }) => pods.length)).toEqual([4]);
    // What another image or another type was seen with says nothing of these nodes; of two reports the smaller counts.
    expect(
      allocatableMib([
        { ...reported, imageId: "ami-arm" },
        { ...reported, instanceType: "i4i.16xlarge" },
      ]),
    ).toBe(961_470);
    expect(allocatableMib([reported, { ...reported, capacityBytes: reported.capacityBytes - mib }])).toBe(1_007_422);
  },
);

conforms(
  "B1.35 The same type gives two capacities, before and after learning, within one solve -> inconsistent decisions -> one snapshot per solve. [KA#8449]",
  () => {
    const before = solve({ ...large, pods: pendingPods(9, "db", { cpu: "1", memory: "240954Mi" }) });
    const learned = { ...before.world, learnedMemory: [reported] };
    const after = solve(learned);
    for (const [{ plan }, mostPods] of [
      [before, 3],
      [after, 4],
    ] as const) {
      const sizes = new Set(plan.nodeClaims.map(({ allocatable }) => allocatable.memory));
      expect(sizes.size).toBe(1);
      expect(Math.max(...plan.nodeClaims.map(({ pods }) => pods.length))).toBe(mostPods);
    }
    // A snapshot is what it was, whatever has been learned since: the same plan again.
    expect(solve(before.world).plan).toEqual(before.plan);
    // A node that was planned with the estimate is filled by what it has itself.
    const running = carriedOut(before, "initialized", { pods: [pendingPod("small", { cpu: "1", memory: "70000Mi" })] });
    expect(Object.values(solve(running).existing)).toEqual([["small"]]);
  },
);

conforms(
  "B1.37 volumeSize 250G (decimal) vs pod 180G -> parsed 0/ignored -> accept G and Gi. NVMe RAID0 storage counts only with instanceStorePolicy RAID0. [KA#5715, KA#7543]",
  () => {
    const disk = (volumeSize: string, instanceStorePolicy?: "RAID0") =>
      nodeClass({
        blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize } }],
        ...(instanceStorePolicy && { instanceStorePolicy }),
      });
    const plain = catalogOf({ "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 } });
    const catalog = { ...plain, types: plain.types.map((facts) => ({ ...facts, localNvmeGb: 900 })) };
    const fits = (storage: string, ...of: Parameters<typeof disk>) => {
      const containers = [{ resources: { requests: { cpu: "100m", "ephemeral-storage": storage } } }];
      return (
        solve({ catalog, nodeClasses: [disk(...of)], pods: [pendingPod("p", { spec: { containers } })] }).nodes
          .length === 1
      );
    };
    expect(fits("180G", "250G")).toBe(true);
    expect(fits("180G", "250Gi")).toBe(true);
    expect(fits("230G", "250G")).toBe(false);
    expect(fits("230G", "250Gi")).toBe(true);
    expect(fits("180G", "20Gi")).toBe(false);
    expect(fits("500G", "20Gi")).toBe(false);
    expect(fits("500G", "20Gi", "RAID0")).toBe(true);
  },
);
