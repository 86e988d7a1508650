import { describe, expect, it } from "vitest";
import { resolveAmiFamily } from "../../../shared/cloud/ami-family.ts";
import { classIncompatibility } from "../../../shared/cloud/class-compatibility.ts";
import { instanceFacts } from "../../support/instance-facts.ts";
import { nodeClass } from "../../support/node-classes.ts";

function reason(type: string, spec: Parameters<typeof nodeClass>[0]): string | undefined {
  const of = nodeClass(spec);
  return classIncompatibility(instanceFacts(type), of, resolveAmiFamily(of));
}

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
    const networkInterfaces = [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" } as const, efa];
    expect(reason("m5.large", { networkInterfaces })).toBe(
      "networkInterfaces asks for 1 EFA interfaces, the type has 0",
    );
    expect(reason("p4d.24xlarge", { networkInterfaces })).toBeUndefined();
  });

  it("is one with nested virtualization on types that lack it", () => {
    const cpuOptions = { nestedVirtualization: "enabled" } as const;
    expect(reason("m8i-flex.large", { cpuOptions })).toBeUndefined();
    expect(reason("m8i.metal-48xl", { cpuOptions })).toContain("m8i");
    expect(reason("m7i.large", { cpuOptions })).toContain("m8i");
  });
});
