import { describe, expect, it } from "vitest";
import { networkInterfaces } from "../../../shared/cloud/network-interfaces.ts";
import { nodeClass } from "../../support/node-classes.ts";

function interfacesOf(
  spec: Parameters<typeof nodeClass>[0],
  node: Partial<Parameters<typeof networkInterfaces>[1]> = {},
) {
  return networkInterfaces(nodeClass(spec), { efaInterfaces: 0, isIpv6: false, ...node });
}

const only = { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" } as const;
const efaOnly = { networkCardIndex: 0, deviceIndex: 1, interfaceType: "efa-only" } as const;

describe("the network interfaces of a node", () => {
  it("are left to EC2 when nothing is said of them", () => {
    expect(interfacesOf({})).toEqual({ kind: "interfaces" });
    expect(interfacesOf({ ipPrefixCount: 0 })).toEqual({ kind: "interfaces" });
  });

  it.each([
    [{ associatePublicIPAddress: false }, { associatePublicIpAddress: false }],
    [{ ipPrefixCount: 2 }, { ipv4PrefixCount: 2 }],
    [{ connectionTracking: { udpTimeout: 30 } }, { connectionTracking: { udpTimeout: 30 } }],
  ])("are one with %j", (spec, settings) => {
    expect(interfacesOf(spec)).toEqual({ kind: "interfaces", interfaces: [{ ...only, ...settings }] });
  });

  it("have one address of IPv6 in a cluster of IPv6, and prefixes of it", () => {
    expect(interfacesOf({}, { isIpv6: true })).toMatchObject({ interfaces: [{ ...only, ipv6: true }] });
    const [prefixed] = listOf(interfacesOf({ ipPrefixCount: 1 }, { isIpv6: true }));
    expect(prefixed).toEqual({ ...only, ipv6: true, ipv6PrefixCount: 1 });
  });

  it("are those that the class lists, EFA-only ones without addresses of their own", () => {
    const spec = { networkInterfaces: [only, efaOnly], ipPrefixCount: 1, connectionTracking: { udpTimeout: 30 } };
    expect(listOf(interfacesOf(spec, { efaInterfaces: 4, isIpv6: true }))).toEqual([
      { ...only, ipv6: true, ipv6PrefixCount: 1, connectionTracking: { udpTimeout: 30 } },
      efaOnly,
    ]);
  });

  it("are one for EFA on each card when the claim asks for EFA, the first of them the node's primary one", () => {
    expect(listOf(interfacesOf({}, { efaInterfaces: 3 }))).toEqual([
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: "efa" },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa" },
      { networkCardIndex: 2, deviceIndex: 1, interfaceType: "efa" },
    ]);
  });

  it("cannot be several with a public address, and need not say that they have none", () => {
    const spec = { networkInterfaces: [only, efaOnly] };
    expect(interfacesOf({ ...spec, associatePublicIPAddress: true })).toEqual({
      kind: "invalid",
      reason:
        "default spec.associatePublicIPAddress: found true for a node of 2 network interfaces; " +
        "EC2 gives a public address to nodes of one interface only",
    });
    expect(listOf(interfacesOf({ ...spec, associatePublicIPAddress: false }))).toEqual([only, efaOnly]);
  });
});

function listOf(made: ReturnType<typeof networkInterfaces>) {
  return made.kind === "interfaces" ? (made.interfaces ?? []) : [];
}
