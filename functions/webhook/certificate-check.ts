import { createPrivateKey, X509Certificate } from "node:crypto";
import type { CertificateSet } from "./certificates.ts";

/**
 * Why a set cannot be served to clients that call the server by these names, at `now` (epoch milliseconds); undefined when it can. A
 * set comes from a Secret that anybody with the right may have changed.
 */
export function certificateFault(set: CertificateSet, dnsNames: readonly string[], now: number): string | undefined {
  const server = parseCertificate(set.certificate);
  if (server === undefined) return "the certificate is not PEM";
  const authority = parseCertificate(set.certificateAuthority);
  if (authority === undefined) return "the certificate authority is not PEM";
  if (!ownsKey(server, set.privateKey)) return "the private key does not belong to the certificate";
  if (!authority.ca || !server.checkIssued(authority) || !server.verify(authority.publicKey)) {
    return "the certificate is not from its certificate authority";
  }
  const missing = dnsNames.find((name) => server.checkHost(name) === undefined);
  if (missing !== undefined) return `the certificate is not for ${missing}`;
  for (const certificate of [server, authority]) {
    if (now >= certificate.validToDate.getTime()) return `it expired at ${certificate.validToDate.toISOString()}`;
    if (now < certificate.validFromDate.getTime()) return `it holds from ${certificate.validFromDate.toISOString()}`;
  }
  return undefined;
}

/** When two thirds of the life of a sound set have passed, epoch milliseconds. */
export function renewalAt({ certificate }: CertificateSet): number {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return validFromDate.getTime() + (2 / 3) * (validToDate.getTime() - validFromDate.getTime());
}

/** Epoch milliseconds. */
export function expiryAt({ certificate }: CertificateSet): number {
  return new X509Certificate(certificate).validToDate.getTime();
}

/** The first certificate of a PEM text; undefined where there is none. */
export function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function ownsKey(certificate: X509Certificate, privateKey: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}
