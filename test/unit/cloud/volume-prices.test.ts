import { describe, expect, it } from "vitest";
import type * as z from "zod";
import type { ec2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import { volumesUsdPerHour } from "../../../shared/cloud/volume-prices.ts";
import { nodeClass } from "../../support/node-classes.ts";

type Spec = Partial<z.input<typeof ec2NodeClass>["spec"]>;
type Ebs = NonNullable<NonNullable<Spec["blockDeviceMappings"]>[number]["ebs"]>;

function usdPerMonth(spec: Spec): number {
  return volumesUsdPerHour(nodeClass(spec)) * 730;
}

/** The one volume of a node. */
function monthOf(ebs: Ebs): number {
  return usdPerMonth({ blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs }] });
}

function ofFamily(amiFamily: NonNullable<Spec["amiFamily"]>, more: Spec = {}): Spec {
  return { amiFamily, amiSelectorTerms: [{ id: "ami-1" }], ...more };
}

describe("the price of a node's volumes", () => {
  it("is that of the family's default volumes where the class states none", () => {
    expect(usdPerMonth({})).toBeCloseTo(20 * 0.08);
    expect(usdPerMonth(ofFamily("Bottlerocket"))).toBeCloseTo((4 + 20) * 0.08);
    expect(usdPerMonth(ofFamily("Windows2022"))).toBeCloseTo(50 * 0.08);
    expect(usdPerMonth(ofFamily("Custom"))).toBeCloseTo(20 * 0.08);
  });

  it("is that of all volumes that the class states", () => {
    const blockDeviceMappings = [
      { deviceName: "/dev/xvda", ebs: { volumeSize: "100Gi", volumeType: "gp3" as const } },
      { deviceName: "/dev/xvdb", ebs: { volumeSize: "1Ti", volumeType: "st1" as const } },
    ];
    expect(usdPerMonth({ blockDeviceMappings })).toBeCloseTo(100 * 0.08 + 1024 * 0.045);
  });

  it("has the image's own volumes in it that the class leaves as they are", () => {
    const blockDeviceMappings = [{ deviceName: "/dev/xvdb", ebs: { volumeSize: "80Gi", volumeType: "gp3" as const } }];
    expect(usdPerMonth({ blockDeviceMappings })).toBeCloseTo((20 + 80) * 0.08);
    expect(usdPerMonth(ofFamily("Bottlerocket", { blockDeviceMappings }))).toBeCloseTo((4 + 80) * 0.08);
    expect(usdPerMonth(ofFamily("Custom", { blockDeviceMappings }))).toBeCloseTo(80 * 0.08);
  });

  it.each([
    ["gp3", 8],
    ["gp2", 10],
    ["st1", 4.5],
    ["sc1", 1.5],
    ["standard", 5],
  ] as const)("is by the size of a %s volume", (volumeType, expected) => {
    expect(monthOf({ volumeSize: "100Gi", volumeType })).toBeCloseTo(expected);
  });

  it("has the IOPS and the throughput of gp3 beyond 3,000 and 125 MiB/s in it", () => {
    const base = { volumeSize: "100Gi", volumeType: "gp3" } as const;
    expect(monthOf({ ...base, iops: 3_000, throughput: 125 })).toBeCloseTo(8);
    expect(monthOf({ ...base, iops: 4_000, throughput: 225 })).toBeCloseTo(8 + 1_000 * 0.005 + 100 * 0.04);
  });

  it("has all IOPS of io1 and io2 in it, those of io2 by tiers", () => {
    expect(monthOf({ volumeSize: "100Gi", volumeType: "io1", iops: 1_000 })).toBeCloseTo(12.5 + 65);
    expect(monthOf({ volumeSize: "100Gi", volumeType: "io2", iops: 1_000 })).toBeCloseTo(12.5 + 65);
    expect(monthOf({ volumeSize: "1000Gi", volumeType: "io2", iops: 100_000 })).toBeCloseTo(
      125 + 32_000 * 0.065 + 32_000 * 0.0455 + 36_000 * 0.03185,
    );
  });

  it("takes a volume without a type for a gp2, and one whose snapshot tells its size for one of the default size", () => {
    expect(monthOf({ volumeSize: "100Gi" })).toBeCloseTo(10);
    expect(monthOf({ snapshotID: "snap-1", volumeType: "gp3" })).toBeCloseTo(20 * 0.08);
  });

  it("is nothing for a device without a volume", () => {
    const root = { deviceName: "/dev/xvda", ebs: { volumeSize: "10Gi", volumeType: "gp3" as const } };
    expect(usdPerMonth({ blockDeviceMappings: [root, { deviceName: "/dev/sdb" }] })).toBeCloseTo(0.8);
  });
});
