import { describe, expect, it } from "vitest";
import type { AmiFamily } from "../../../shared/api/ec2-node-class.ts";
import { capacityOf } from "../../../shared/cloud/capacity.ts";
import { nodeSettings } from "../../../shared/cloud/node-settings.ts";
import { instanceFacts } from "../../support/instance-facts.ts";
import { nodeClass } from "../../support/node-classes.ts";

const mib = 1024 ** 2;
const gib = 1024 ** 3;

function capacity(type: string, spec: Parameters<typeof nodeClass>[0] = {}, reservedEnis = 0) {
  return capacityOf(instanceFacts(type), nodeSettings(nodeClass(spec)), {
    vmMemoryOverheadPercent: 0.075,
    reservedEnis,
  });
}

function ami(amiFamily: AmiFamily) {
  return { amiFamily, amiSelectorTerms: [{ id: "ami-1" }] };
}

describe("the capacity of a node", () => {
  it("is the worked example for m5.large", () => {
    expect(capacity("m5.large")).toEqual({
      cpu: 2000,
      memory: 7577 * mib,
      pods: 29,
      "ephemeral-storage": 20 * gib,
      "vpc.amazonaws.com/pod-eni": 9,
    });
  });

  it("takes 64 MiB off an arm64 type's memory before the hypervisor's share", () => {
    expect(capacity("m6g.large").memory).toBe((8128 - Math.ceil(8128 * 0.075)) * mib);
  });

  it("lists GPUs, Neuron devices and cores, and EFA interfaces, and leaves out what the type has none of", () => {
    expect(capacity("g5.12xlarge")).toMatchObject({ "nvidia.com/gpu": 4, "vpc.amazonaws.com/efa": 1 });
    expect(capacity("inf1.24xlarge")).toMatchObject({ "aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 64 });
    expect(Object.keys(capacity("g6f.large"))).not.toContain("nvidia.com/gpu");
    expect(Object.keys(capacity("m4.large"))).not.toContain("vpc.amazonaws.com/pod-eni");
  });
});

describe("the number of pods", () => {
  it("counts interfaces of the default network card only", () => {
    expect(capacity("p4d.24xlarge").pods).toBe(15 * 49 + 2);
  });

  it("leaves reserved interfaces out, and is none when no interface is left", () => {
    expect(capacity("m5.large", {}, 1).pods).toBe(2 * 9 + 2);
    expect(capacity("m5.large", {}, 3).pods).toBe(0);
  });

  it("leaves out the default card's interfaces that carry EFA traffic only", () => {
    const card = (networkCardIndex: number, deviceIndex: number, interfaceType: "interface" | "efa-only") => ({
      ...{ networkCardIndex, deviceIndex, interfaceType },
    });
    const networkInterfaces = [card(0, 0, "interface"), card(0, 1, "efa-only"), card(1, 0, "efa-only")];
    expect(capacity("p4d.24xlarge", { networkInterfaces })).toMatchObject({
      pods: 14 * 49 + 2,
      "vpc.amazonaws.com/efa": 2,
    });
  });

  it("is maxPods when the class sets it, above what the interfaces allow too", () => {
    expect(capacity("m5.large", { kubelet: { maxPods: 110 } }).pods).toBe(110);
    expect(capacity("m5.large", { kubelet: { maxPods: 0 } }).pods).toBe(0);
  });

  it("is at most podsPerCore for each vCPU, so that a pod more asks for another node (field scenario B1.31)", () => {
    expect(capacity("m5.large", { kubelet: { maxPods: 110, podsPerCore: 14 } }).pods).toBe(28);
    expect(capacity("m5.large", { kubelet: { podsPerCore: 100 } }).pods).toBe(29);
  });

  it("ignores podsPerCore on Bottlerocket, which cannot set it", () => {
    expect(capacity("m5.large", { ...ami("Bottlerocket"), kubelet: { podsPerCore: 2 } }).pods).toBe(29);
  });

  it("is 110 on Windows, whose pods take addresses of one interface", () => {
    expect(capacity("m5.large", ami("Windows2022"))).toMatchObject({
      pods: 110,
      "vpc.amazonaws.com/PrivateIPv4Address": 9,
      "ephemeral-storage": 50 * gib,
    });
  });

  it("is a published constant for types whose interface limits are not", () => {
    expect(capacity("hpc6id.32xlarge").pods).toBe(51);
  });
});

describe("ephemeral storage", () => {
  const volume = (deviceName: string, volumeSize: string, rootVolume = false) => ({
    ...{ deviceName, rootVolume, ebs: { volumeSize } },
  });

  it("reads a decimal volume size as decimal (field scenario B1.37)", () => {
    expect(capacity("m5.large", { blockDeviceMappings: [volume("/dev/xvda", "250G")] })["ephemeral-storage"]).toBe(
      250e9,
    );
    expect(capacity("m5.large", { blockDeviceMappings: [volume("/dev/xvda", "250Gi")] })["ephemeral-storage"]).toBe(
      250 * gib,
    );
  });

  it("is the root volume, else the family's own device, else the default", () => {
    const other = volume("/dev/sdf", "90Gi");
    const sizes = [
      [other, volume("/dev/xvda", "40Gi"), volume("/dev/sdg", "70Gi", true)],
      [other, volume("/dev/xvda", "40Gi")],
      [other],
    ].map((blockDeviceMappings) => capacity("m5.large", { blockDeviceMappings })["ephemeral-storage"]);
    expect(sizes).toEqual([70 * gib, 40 * gib, 20 * gib]);
  });

  it("is the second volume on Bottlerocket and the last one on Custom", () => {
    const blockDeviceMappings = [volume("/dev/xvda", "4Gi"), volume("/dev/xvdb", "80Gi"), volume("/dev/xvdc", "90Gi")];
    expect(capacity("m5.large", { ...ami("Bottlerocket"), blockDeviceMappings })["ephemeral-storage"]).toBe(80 * gib);
    expect(capacity("m5.large", { ...ami("Custom"), blockDeviceMappings })["ephemeral-storage"]).toBe(90 * gib);
    expect(capacity("m5.large", ami("Custom"))["ephemeral-storage"]).toBe(20 * gib);
  });

  it("is the local disks under RAID0 alone, and the volume where there are none", () => {
    expect(capacity("m5d.large", { instanceStorePolicy: "RAID0" })["ephemeral-storage"]).toBe(75e9);
    expect(capacity("m5d.large")["ephemeral-storage"]).toBe(20 * gib);
    expect(capacity("m5.large", { instanceStorePolicy: "RAID0" })["ephemeral-storage"]).toBe(20 * gib);
  });
});
