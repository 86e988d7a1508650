import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createCertificates } from "../../../functions/webhook/certificates.ts";

describe("the webhook's certificates", () => {
  const notBefore = new Date("2026-01-01T00:00:00Z");
  const create = (notAfter = new Date("2027-01-01T00:00:00Z")) =>
    createCertificates({ dnsNames: ["hook.ns.svc"], ipv4Addresses: ["127.0.0.1"], notBefore, notAfter });

  it("are issued by their own authority for the given names", () => {
    const { certificateAuthority, certificate } = create();
    const authority = new X509Certificate(certificateAuthority);
    const server = new X509Certificate(certificate);
    expect(authority.ca).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.checkIssued(authority)).toBe(true);
    expect(server.checkHost("hook.ns.svc")).toBe("hook.ns.svc");
    expect(server.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  it("hold for the given time, beyond 2049 too", () => {
    const server = new X509Certificate(create(new Date("2055-06-01T12:30:00Z")).certificate);
    expect(new Date(server.validFrom)).toEqual(notBefore);
    expect(new Date(server.validTo)).toEqual(new Date("2055-06-01T12:30:00Z"));
  });

  it("are new at each call", () => {
    expect(create().certificateAuthority).not.toBe(create().certificateAuthority);
  });
});
