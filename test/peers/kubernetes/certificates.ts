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
} from "../../../functions/webhook/der.ts";

/** PEM. */
export interface CertificateWithKey {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Who a client certificate says its holder is: the API server reads the user from the common name and the groups from the organizations. */
export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

export interface Authority extends CertificateWithKey {
  client(identity: Identity): CertificateWithKey;
  server(commonName: string, dnsNames: readonly string[], ipv4Addresses: readonly string[]): CertificateWithKey;
}

/** A certificate authority with ECDSA P-256 keys, for thirty days (RFC 5280). */
export function createAuthority(commonName: string): Authority {
  const keys = newKeys();
  const issuer = distinguishedName({ user: commonName });
  const issue = (subject: Buffer, publicKey: KeyObject, extensions: readonly Buffer[]) =>
    pem("CERTIFICATE", certificateDer({ issuer, subject, publicKey, signingKey: keys.privateKey, extensions }));
  const leaf = (identity: Identity, extensions: readonly Buffer[]): CertificateWithKey => {
    const { publicKey, privateKey } = newKeys();
    const all = [extension("551d13", sequence(), "critical"), extension("551d0f", namedBits(0), "critical")];
    return {
      certificate: issue(distinguishedName(identity), publicKey, [...all, ...extensions]),
      privateKey: privatePem(privateKey),
    };
  };
  return {
    certificate: issue(issuer, keys.publicKey, [
      extension("551d13", sequence(boolean(true)), "critical"), // basicConstraints: a CA
      extension("551d0f", namedBits(0, 5, 6), "critical"), // keyUsage: digitalSignature, keyCertSign, cRLSign
    ]),
    privateKey: privatePem(keys.privateKey),
    client: (identity) => leaf(identity, [extendedKeyUsage("2b06010505070302")]), // clientAuth
    server: (user, dnsNames, ipv4Addresses) =>
      leaf({ user }, [
        extendedKeyUsage("2b06010505070301"), // serverAuth
        extension("551d11", subjectAlternativeNames(dnsNames, ipv4Addresses)),
      ]),
  };
}

/** The keys with which service account tokens are signed and checked. */
export function createSigningKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = newKeys();
  return {
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKey: privatePem(privateKey),
  };
}

interface CertificateParts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const dayMilliseconds = 86_400_000;

function certificateDer(parts: CertificateParts): Buffer {
  const now = Date.now();
  const signed = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(randomBytes(16)),
    ecdsaWithSha256,
    parts.issuer,
    // The clock of a virtual machine may be set back a little.
    sequence(time(new Date(now - 60_000)), time(new Date(now + 30 * dayMilliseconds))),
    parts.subject,
    parts.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...parts.extensions)),
  );
  return sequence(signed, ecdsaWithSha256, bitString(sign("sha256", signed, parts.signingKey)));
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function distinguishedName({ user, groups = [] }: Identity): Buffer {
  const organizations = groups.map((group) => set(sequence(oid("55040a"), utf8(group))));
  return sequence(...organizations, set(sequence(oid("550403"), utf8(user))));
}

function extendedKeyUsage(purpose: string): Buffer {
  return extension("551d25", sequence(oid(purpose)));
}

function extension(id: string, value: Buffer, critical?: "critical"): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

function subjectAlternativeNames(dnsNames: readonly string[], ipv4Addresses: readonly string[]): Buffer {
  return sequence(
    ...dnsNames.map((name) => implicit(2, Buffer.from(name, "ascii"))),
    ...ipv4Addresses.map((address) => implicit(7, Buffer.from(address.split(".").map(Number)))),
  );
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function privatePem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
