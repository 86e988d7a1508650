import { describe, expect, it } from "vitest";
import { addressesOf, subnetFor } from "../../../shared/cloud/subnet-addresses.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodeClass } from "../../support/node-classes.ts";

function claimFor(pods: number) {
  const claim = nodeClaim("a");
  return { ...claim, spec: { ...claim.spec, resources: { requests: { pods: String(pods) } } } };
}

describe("a node's addresses", () => {
  it("are its own and one for each of its pods", () => {
    expect(addressesOf(claimFor(29), nodeClass())).toBe(30);
    expect(addressesOf(nodeClaim("a"), nodeClass())).toBe(1);
  });

  it("come in prefixes of sixteen where the class asks for prefixes", () => {
    expect([1, 16, 17].map((pods) => addressesOf(claimFor(pods), nodeClass({ ipPrefixCount: 1 })))).toEqual([
      17, 17, 33,
    ]);
    expect(addressesOf(claimFor(1), nodeClass({ ipPrefixCount: 3 }))).toBe(49);
  });

  it("are one in a cluster of IPv6, where pods have another range", () => {
    expect(addressesOf(claimFor(29), nodeClass(), true)).toBe(1);
  });
});

describe("the subnet of a launch", () => {
  const free = new Map([
    ["a", 40],
    ["b", 95],
    ["c", 29],
  ]);
  const room = { freeAddresses: (id: string) => free.get(id), perNode: 30 };

  it("is the one with the most room, for as many nodes as it holds with their pods", () => {
    expect(subnetFor(["a", "b", "c"], room)).toEqual({ subnetId: "b", most: 3 });
    expect(subnetFor(["c"], room)).toBeUndefined();
  });

  it("is one whose addresses nobody knows rather than one that is known to be small", () => {
    expect(subnetFor(["a", "unknown"], room)).toEqual({ subnetId: "unknown", most: Number.POSITIVE_INFINITY });
  });
});
