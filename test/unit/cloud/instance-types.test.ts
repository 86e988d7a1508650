import { describe, expect, it } from "vitest";
import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import type { UnavailableOffering } from "../../../shared/cloud/catalog.ts";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import type { InstanceType } from "../../../shared/cloud/instance-type.ts";
import { instanceTypesFor } from "../../../shared/cloud/instance-types.ts";
import { formatPlacementGroup } from "../../../shared/cloud/placement-group.ts";
import { describeRequirement } from "../../../shared/scheduling/requirements.ts";
import { nodeClass } from "../../support/node-classes.ts";

const now = 1_000_000;

function resolve(
  name: string,
  of: EC2NodeClass = nodeClass(),
  unavailable: readonly UnavailableOffering[] = [],
): InstanceType {
  const types = instanceTypesFor(embeddedCatalog(), of, {
    ...{ vmMemoryOverheadPercent: 0.075, reservedEnis: 0, unavailable, now },
  });
  const type = types.find((candidate) => candidate.name === name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

/** `zone letter/capacity type` of the offerings that can be had. */
function available(type: InstanceType): readonly string[] {
  return type.offerings
    .filter((offering) => offering.available)
    .map((offering) => `${offering.zone.at(-1)}/${offering.capacityType}`);
}

function label(type: InstanceType, key: string): string | undefined {
  const found = type.requirements.get(key);
  return found && describeRequirement(found);
}

const zone = "topology.kubernetes.io/zone";
const arm = { key: "kubernetes.io/arch", operator: "In", values: ["arm64"] };

describe("a class without status", () => {
  it("has on-demand and spot offerings in every zone", () => {
    expect(available(resolve("m5.large"))).toEqual(
      ["a", "b", "c", "d", "e", "f"].flatMap((letter) => [`${letter}/on-demand`, `${letter}/spot`]),
    );
  });

  it("resolves to the same list each time, as long as nothing changes", () => {
    const of = nodeClass();
    expect(resolve("m5.large", of)).toBe(resolve("m5.large", of));
  });

  it("gives types the labels of nodes", () => {
    const type = resolve("u-6tb1.112xlarge");
    expect(label(type, "kubernetes.io/os")).toBe("kubernetes.io/os In [linux]");
    expect(label(type, "karpenter.k8s.aws/instance-category")).toBe("karpenter.k8s.aws/instance-category In [u]");
    expect(label(type, "karpenter.k8s.aws/instance-generation")).toBe("karpenter.k8s.aws/instance-generation In [1]");
    expect(label(type, "karpenter.sh/capacity-type")).toBe("karpenter.sh/capacity-type In [on-demand]");
    expect(label(type, "karpenter.k8s.aws/ec2nodeclass")).toBe("karpenter.k8s.aws/ec2nodeclass In [default]");
    expect(label(type, "karpenter.k8s.aws/instance-gpu-count")).toBe(
      "karpenter.k8s.aws/instance-gpu-count DoesNotExist",
    );
  });

  it("shares equal requirements between types", () => {
    const key = "karpenter.k8s.aws/instance-cpu";
    expect(resolve("m5.large").requirements.get(key)).toBe(resolve("c5.large").requirements.get(key));
    expect(resolve("m5.large").requirements.get(zone)).not.toBeUndefined();
  });
});

describe("a type", () => {
  it("without a price has an infinite one, and cannot be had", () => {
    const { offerings } = resolve("x8aedz.large");
    expect(new Set(offerings.map((offering) => offering.priceUsdPerHour))).toEqual(new Set([Number.POSITIVE_INFINITY]));
    expect(available(resolve("x8aedz.large"))).toEqual([]);
  });

  it("cannot be had where EC2 has refused it, until that ends", () => {
    const mark = { instanceType: "m5.large", zone: "us-east-1a", capacityType: "spot", times: 1, code: "X" };
    const of = nodeClass();
    expect(available(resolve("m5.large", of, [{ ...mark, untilAt: now + 1 }]))).not.toContain("a/spot");
    expect(available(resolve("m5.large", of, [{ ...mark, untilAt: now }]))).toContain("a/spot");
    expect(available(resolve("m5.xlarge", of, [{ ...mark, untilAt: now + 1 }]))).toContain("a/spot");
  });
});

describe("a class with status", () => {
  const subnet = (letter: string) => ({
    ...{ id: `subnet-${letter}`, zone: `us-east-1${letter}`, zoneID: `use1-az${letter}` },
  });

  it("offers the zones of its subnets alone, by name and id", () => {
    const type = resolve("m5.large", nodeClass({}, { subnets: [subnet("b"), subnet("d")] }));
    expect(available(type)).toEqual(["b/on-demand", "b/spot", "d/on-demand", "d/spot"]);
    expect(label(type, zone)).toBe(`${zone} In [us-east-1b, us-east-1d]`);
    expect(label(type, "topology.k8s.aws/zone-id")).toBe("topology.k8s.aws/zone-id In [use1-azb, use1-azd]");
  });

  it("offers nothing when it found no subnet", () => {
    expect(available(resolve("m5.large", nodeClass({}, { subnets: [] })))).toEqual([]);
  });

  it("offers the types that one of its images fits", () => {
    const standard = { key: "karpenter.k8s.aws/instance-gpu-count", operator: "DoesNotExist" };
    const of = nodeClass({}, { amis: [{ id: "ami-1", requirements: [arm, standard] }] });
    expect(available(resolve("m6g.large", of))).not.toEqual([]);
    expect(available(resolve("m5.large", of))).toEqual([]);
    expect(available(resolve("g5g.xlarge", of))).toEqual([]);
  });

  it("is refused by name when an image's requirement cannot be read", () => {
    const of = nodeClass({}, { amis: [{ id: "ami-1", requirements: [{ ...arm, operator: "Like" }] }] });
    expect(() => resolve("m5.large", of)).toThrow("EC2NodeClass default status.amis: image ami-1 has a requirement");
  });
});

describe("Windows", () => {
  const windows = nodeClass({ amiSelectorTerms: [{ alias: "windows2022@latest" }] });

  it("labels its types so, and runs on amd64 only", () => {
    expect(label(resolve("m5.large", windows), "kubernetes.io/os")).toBe("kubernetes.io/os In [windows]");
    expect(label(resolve("m5.large", windows), "node.kubernetes.io/windows-build")).toContain("10.0.20348");
    expect(available(resolve("m6g.large", windows))).toEqual([]);
  });
});

describe("a class with a placement group", () => {
  const withGroup = (strategy: "cluster" | "partition", partitionCount?: number) => {
    const made = nodeClass({ placementGroupSelector: { name: "web" } });
    const found = { id: "pg-1", name: "web", strategy, ...(partitionCount !== undefined && { partitionCount }) };
    const annotations = { "journeyman.sh/placement-group": formatPlacementGroup(found) };
    return { ...made, metadata: { ...made.metadata, annotations } };
  };
  const id = "karpenter.k8s.aws/placement-group-id";
  const partition = "karpenter.k8s.aws/placement-group-partition";

  it("labels its types with the group, and with the partitions there are to choose from", () => {
    expect(label(resolve("m5.large", withGroup("cluster")), id)).toBe(`${id} In [pg-1]`);
    expect(label(resolve("m5.large", withGroup("cluster")), partition)).toBe(`${partition} DoesNotExist`);
    expect(label(resolve("m5.large", withGroup("partition", 3)), partition)).toBe(`${partition} In [1, 2, 3]`);
    expect(label(resolve("m5.large"), id)).toBe(`${id} DoesNotExist`);
  });

  it("cannot have types that a group of its strategy does not hold", () => {
    expect(available(resolve("t3.large", withGroup("cluster")))).toEqual([]);
    expect(available(resolve("t3.large", withGroup("partition", 2)))).not.toEqual([]);
  });
});
