import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  namedBits,
  octetString,
  oid,
  sequence,
  set,
  time,
  utf8,
} from "./der.ts";
import type { ServingCertificate } from "./server.ts";

export interface CertificateOptions {
  /** What clients call the server: `SERVICE.NAMESPACE.svc` for the API server. */
  readonly dnsNames: readonly string[];
  readonly ipv4Addresses?: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface CertificateSet extends ServingCertificate {
  /** PEM, for `caBundle`. Its private key is thrown away: a renewal makes a new CA. */
  readonly certificateAuthority: string;
}

/** A certificate authority of its own and one server certificate from it, ECDSA P-256 (RFC 5280). */
export function createCertificates(options: CertificateOptions): CertificateSet {
  const authority = newKeys();
  const server = newKeys();
  const issuer = distinguishedName(`journeyman webhook CA ${randomBytes(4).toString("hex")}`);
  const subject = distinguishedName("journeyman webhook");
  const { notBefore, notAfter } = options;
  const common = { issuer, signingKey: authority.privateKey, notBefore, notAfter };
  const authorityDer = certificateDer({
    ...common,
    subject: issuer,
    publicKey: authority.publicKey,
    extensions: [
      extension("551d13", sequence(boolean(true)), "critical"), // basicConstraints: a CA
      extension("551d0f", namedBits(5, 6), "critical"), // keyUsage: keyCertSign, cRLSign
    ],
  });
  const serverDer = certificateDer({
    ...common,
    subject,
    publicKey: server.publicKey,
    extensions: [
      extension("551d13", sequence(), "critical"),
      extension("551d0f", namedBits(0), "critical"), // keyUsage: digitalSignature
      extension("551d25", sequence(oid("2b06010505070301"))), // extKeyUsage: serverAuth
      extension("551d11", subjectAlternativeNames(options)),
    ],
  });
  return {
    certificateAuthority: pem(authorityDer),
    certificate: pem(serverDer),
    privateKey: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

interface CertificateParts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Buffer[];
}

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));

function certificateDer(parts: CertificateParts): Buffer {
  const version3 = explicit(0, integer(Buffer.from([2])));
  const signed = sequence(
    version3,
    integer(randomBytes(16)),
    ecdsaWithSha256,
    parts.issuer,
    sequence(time(parts.notBefore), time(parts.notAfter)),
    parts.subject,
    parts.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...parts.extensions)),
  );
  return sequence(signed, ecdsaWithSha256, bitString(sign("sha256", signed, parts.signingKey)));
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(oid("550403"), utf8(commonName))));
}

function extension(id: string, value: Buffer, critical?: "critical"): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

function subjectAlternativeNames({ dnsNames, ipv4Addresses = [] }: CertificateOptions): Buffer {
  return sequence(
    ...dnsNames.map((name) => implicit(2, Buffer.from(name, "ascii"))),
    ...ipv4Addresses.map((address) => implicit(7, Buffer.from(address.split(".").map(Number)))),
  );
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
