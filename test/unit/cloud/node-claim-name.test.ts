import { describe, expect, it } from "vitest";
import { nodeClaimName } from "../../../shared/cloud/node-claim-name.ts";

describe("nodeClaimName", () => {
  it("is the pool and a hash of pool and pods, in any order", () => {
    expect(nodeClaimName("default", ["u2", "u1"])).toBe(nodeClaimName("default", ["u1", "u2"]));
    expect(nodeClaimName("default", ["u1"])).toMatch(/^default-[a-z0-9]{10}$/);
    expect(nodeClaimName("default", ["u1"])).not.toBe(nodeClaimName("default", ["u2"]));
  });

  it("differs between pools that start alike", () => {
    const pool = "p".repeat(40);
    expect(nodeClaimName(`${pool}a`, ["u1"])).not.toBe(nodeClaimName(`${pool}b`, ["u1"]));
  });

  it("is a valid Kubernetes name even where the pool's name is cut at a dot", () => {
    expect(nodeClaimName(`${"p".repeat(39)}.example`, ["u1"])).toMatch(/^p{39}-[a-z0-9]{10}$/);
  });

  it("has a suffix for a name that is taken", () => {
    expect(nodeClaimName("default", ["u1"], 2)).toBe(`${nodeClaimName("default", ["u1"])}-2`);
  });
});
