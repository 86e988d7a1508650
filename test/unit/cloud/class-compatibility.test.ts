import { describe, expect, it } from "vitest";
import { annotation } from "../../../shared/api/labels.ts";
import { resolveAmiFamily } from "../../../shared/cloud/ami-family.ts";
import type { InstanceTypeFacts } from "../../../shared/cloud/catalog.ts";
import { classIncompatibility } from "../../../shared/cloud/class-compatibility.ts";
import { formatPlacementGroup } from "../../../shared/cloud/placement-group.ts";
import { instanceFacts } from "../../support/instance-facts.ts";
import { nodeClass } from "../../support/node-classes.ts";

function reason(
  type: string,
  spec: Parameters<typeof nodeClass>[0],
  facts: Parameters<typeof instanceFacts>[1] = {},
): string | undefined {
  const of = nodeClass(spec);
  return classIncompatibility(instanceFacts(type, facts), of, resolveAmiFamily(of));
}

const primary = { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" } as const;

describe("a class that a type cannot run", () => {
  it("is AL2023 on the first Graviton", () => {
    expect(reason("a1.large", {})).toBe("AL2023 does not run on the a1 family");
    expect(reason("a1.large", { amiSelectorTerms: [{ alias: "al2@latest" }] })).toBeUndefined();
  });

  it("is one that tracks connections off the nitro hypervisor, bare metal included", () => {
    const connectionTracking = { udpTimeout: 30 };
    expect(reason("m5.large", { connectionTracking })).toBeUndefined();
    expect(reason("m4.large", { connectionTracking })).toContain("nitro");
    expect(reason("m5.metal", { connectionTracking })).toContain("nitro");
  });

  it("is one with more EFA interfaces than the type has", () => {
    const efa = { networkCardIndex: 0, deviceIndex: 1, interfaceType: "efa-only" } as const;
    const networkInterfaces = [primary, efa];
    expect(reason("m5.large", { networkInterfaces })).toBe(
      "networkInterfaces asks for 1 EFA interfaces, the type has 0",
    );
    expect(reason("p4d.24xlarge", { networkInterfaces })).toBeUndefined();
  });

  it("is one with more network cards, or interfaces on a card, than the type has", () => {
    const onSecondCard = { networkInterfaces: [primary, { ...primary, networkCardIndex: 1, deviceIndex: 1 }] };
    const asksForCard = "networkInterfaces asks for network card 1, the type has 1 from card 0 on";
    expect(reason("m5.large", onSecondCard)).toBe(asksForCard);
    expect(reason("p4d.24xlarge", onSecondCard)).toBeUndefined();
    expect(reason("m5.large", onSecondCard, { networkCards: [3, 1] })).toBeUndefined();
    expect(reason("p4d.24xlarge", onSecondCard, { networkCards: [15] })).toBe(asksForCard);
    const four = { networkInterfaces: [0, 1, 2, 3].map((deviceIndex) => ({ ...primary, deviceIndex })) };
    expect(reason("m5.large", four)).toBe("networkInterfaces asks for 4 interfaces on network card 0, the type has 3");
    expect(reason("m5.2xlarge", four)).toBeUndefined();
  });

  it("is one that lists its interfaces, on types without the Elastic Network Adapter", () => {
    const lacking = "networkInterfaces needs the Elastic Network Adapter, which the type lacks";
    const listed = { networkInterfaces: [primary] };
    expect([reason("m4.large", listed), reason("t2.large", listed)]).toEqual([lacking, lacking]);
    expect([reason("m4.16xlarge", listed), reason("t3.large", listed), reason("m4.large", {})]).toEqual(
      Array(3).fill(undefined),
    );
    expect(reason("m5.large", listed, { enaSupported: false })).toBe(lacking);
  });

  it("is one in a placement group that cannot hold the type", () => {
    const inGroup = (type: string, strategy: "cluster" | "spread", facts: Partial<InstanceTypeFacts> = {}) => {
      const made = nodeClass({ placementGroupSelector: { name: "web" } }, {});
      const group = formatPlacementGroup({ id: "pg-1", name: "web", strategy });
      const of = { ...made, metadata: { ...made.metadata, annotations: { [annotation.placementGroup]: group } } };
      return classIncompatibility(instanceFacts(type, facts), of, "AL2023");
    };
    const refused = "the type cannot be in a placement group of strategy cluster";
    expect([inGroup("t3.large", "cluster"), inGroup("m7i-flex.large", "cluster")]).toEqual([refused, refused]);
    expect([inGroup("t3.large", "spread"), inGroup("m5.large", "cluster")]).toEqual([undefined, undefined]);
    expect(inGroup("m5.large", "cluster", { placementStrategies: ["spread"] })).toBe(refused);
  });

  it("is one with nested virtualization on types that lack it", () => {
    const cpuOptions = { nestedVirtualization: "enabled" } as const;
    expect(reason("m8i-flex.large", { cpuOptions })).toBeUndefined();
    expect(reason("m8i.metal-48xl", { cpuOptions })).toContain("m8i");
    expect(reason("m7i.large", { cpuOptions })).toContain("m8i");
    expect(reason("m7i.large", { cpuOptions }, { nestedVirtualization: true })).toBeUndefined();
  });
});
