import type { CertificateSet } from "./certificates.ts";
import type { Rotation } from "./rotation.ts";

/** The entries of the shared Secret, decoded from base64. Null takes an entry away. */
export type SecretData = Readonly<Record<string, string>>;
export type SecretPatch = Readonly<Record<string, string | null>>;

/** Undefined where the current set is incomplete; a next set that is incomplete is none. */
export function decodeRotation(data: SecretData): Rotation | undefined {
  const current = setOf(data["tls.crt"], data["tls.key"], data["ca.crt"]);
  if (current === undefined) return undefined;
  const next = setOf(data["next.crt"], data["next.key"], data["next-ca.crt"]);
  const since = Number(data["next-since"]);
  return next === undefined || !Number.isSafeInteger(since) ? { current } : { current, next: { ...next, since } };
}

export function encodeRotation({ current, next }: Rotation): SecretPatch {
  return {
    "tls.crt": current.certificate,
    "tls.key": current.privateKey,
    "ca.crt": current.certificateAuthority,
    "next.crt": next?.certificate ?? null,
    "next.key": next?.privateKey ?? null,
    "next-ca.crt": next?.certificateAuthority ?? null,
    "next-since": next === undefined ? null : String(next.since),
  };
}

function setOf(
  certificate: string | undefined,
  privateKey: string | undefined,
  certificateAuthority: string | undefined,
): CertificateSet | undefined {
  if (certificate === undefined || privateKey === undefined || certificateAuthority === undefined) return undefined;
  return { certificate, privateKey, certificateAuthority };
}
