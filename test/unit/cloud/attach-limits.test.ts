import { describe, expect, it } from "vitest";
import { attachLimit } from "../../../shared/cloud/attach-limits.ts";
import { instanceTypesFor } from "../../../shared/cloud/instance-types.ts";
import { defaultSettings } from "../../../shared/state/settings.ts";
import { catalogOf } from "../../support/catalog.ts";
import { instanceFacts } from "../../support/instance-facts.ts";
import { nodeClass } from "../../support/node-classes.ts";

const limitOf = (type: string, spec: Parameters<typeof nodeClass>[0] = {}) =>
  attachLimit(instanceFacts(type), nodeClass(spec));

const mapping = (deviceName: string, rootVolume = false) => ({
  deviceName,
  ebs: { volumeSize: "20Gi" },
  ...(rootVolume && { rootVolume }),
});

describe("volumes that pods can attach", () => {
  /** EC2's limit for the type, and what is left of it for pods. */
  const golden: readonly (readonly [type: string, ec2: number, pods: number])[] = [
    // Shared with network interfaces: less the root volume and a warm interface.
    ["m5.large", 27, 25],
    ["m5.24xlarge", 27, 25],
    ["t3.medium", 27, 25],
    ["c7g.xlarge", 27, 25],
    ["m5.metal", 31, 29],
    // And with local disks and accelerators.
    ["m5d.large", 26, 24],
    ["c5d.24xlarge", 23, 21],
    ["i4i.large", 26, 24],
    ["i4i.32xlarge", 19, 17],
    ["r6gd.16xlarge", 25, 23],
    ["g4dn.12xlarge", 22, 20],
    ["g5.48xlarge", 9, 7],
    ["inf1.24xlarge", 11, 9],
    ["d3.xlarge", 24, 22],
    ["d3.8xlarge", 3, 1],
    ["d3en.12xlarge", 3, 1],
    // Dedicated to EBS: less the root volume.
    ["c7i.large", 32, 31],
    ["c7i-flex.large", 32, 31],
    ["m7i.8xlarge", 32, 31],
    ["m7i.16xlarge", 48, 47],
    ["c7i.24xlarge", 64, 63],
    ["m7a.32xlarge", 88, 87],
    ["r7i.48xlarge", 128, 127],
    ["i7ie.18xlarge", 48, 47],
    ["m8g.medium", 32, 31],
    ["c8gn.48xlarge", 64, 63],
    ["r7iz.metal-16xl", 39, 38],
    ["m7i.metal-48xl", 79, 78],
    ["m8i.metal-48xl", 64, 63],
    ["p5.48xlarge", 64, 63],
    ["u7i-12tb.224xlarge", 128, 127],
    // Xen.
    ["m4.large", 39, 38],
    ["t2.micro", 39, 38],
  ];
  it.each(golden)("of %s, for which EC2 allows %i, are %i", (type, _ec2, pods) => {
    expect(limitOf(type)).toBe(pods);
  });

  it("are fewer by the volumes that the class adds, and not by those that its image brings anyway", () => {
    const volumes = (...blockDeviceMappings: ReturnType<typeof mapping>[]) =>
      limitOf("m7i.large", { blockDeviceMappings });
    expect(volumes(mapping("/dev/xvda"))).toBe(31);
    expect(volumes(mapping("/dev/xvda"), mapping("/dev/xvdb"))).toBe(30);
    expect(volumes(mapping("/dev/xvdb"))).toBe(30);
  });

  it("know of Bottlerocket's two volumes", () => {
    const amiSelectorTerms = [{ alias: "bottlerocket@latest" }];
    expect(limitOf("m7i.large", { amiSelectorTerms })).toBe(30);
    expect(limitOf("m7i.large", { amiSelectorTerms, blockDeviceMappings: [mapping("/dev/xvdb")] })).toBe(30);
  });

  it("count a root volume that a Custom class does not name", () => {
    const custom = { amiFamily: "Custom" as const, amiSelectorTerms: [{ id: "ami-0123456789abcdef0" }] };
    const volumes = (...blockDeviceMappings: ReturnType<typeof mapping>[]) =>
      limitOf("m7i.large", { ...custom, blockDeviceMappings });
    expect(volumes(mapping("/dev/sdf"))).toBe(30);
    expect(volumes(mapping("/dev/sda1"))).toBe(31);
    expect(volumes(mapping("/dev/sdf", true))).toBe(31);
  });

  it("are one at least, as the driver reports it", () => {
    expect(
      limitOf("d3.8xlarge", { blockDeviceMappings: ["a", "b", "c", "d"].map((name) => mapping(`/dev/xvd${name}`)) }),
    ).toBe(1);
  });

  it("are known of nodes of others, too, with one volume of their own", () => {
    expect(attachLimit(instanceFacts("m7i.large"), undefined)).toBe(31);
  });

  it("are part of an instance type", () => {
    const options = { ...defaultSettings, unavailable: [], now: 0 };
    const [type] = instanceTypesFor(catalogOf(), nodeClass(), options);
    expect(type?.attachLimits).toEqual({ "ebs.csi.aws.com": 26 });
  });
});
