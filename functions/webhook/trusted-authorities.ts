import { parseCertificate } from "./certificate-check.ts";

/** More than two rotations in one lifetime do not happen; a loop that makes new authorities must not grow the bundle for ever. */
const mostAuthorities = 8;

/**
 * The `caBundle` that clients need: the authorities of `required` first, then those that are trusted now and have not expired, the
 * newest first. An authority is never taken away while it holds: a replica may not have heard of the next one yet.
 */
export function trustedAuthorities(required: readonly string[], present: string, now: number): string {
  const kept = authoritiesIn(present)
    .filter((pem) => (parseCertificate(pem)?.validToDate.getTime() ?? 0) > now)
    .sort((a, b) => expiry(b) - expiry(a));
  return [...new Set([...required.flatMap(authoritiesIn), ...kept])].slice(0, mostAuthorities).join("");
}

/** Whether a bundle trusts this authority. */
export function trusts(bundle: string, authority: string): boolean {
  const [wanted] = authoritiesIn(authority);
  return wanted !== undefined && authoritiesIn(bundle).includes(wanted);
}

/** The certificate authorities of a PEM text, each in one spelling. What is none is left out. */
function authoritiesIn(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    const certificate = parseCertificate(block);
    return certificate?.ca === true ? [certificate.toString()] : [];
  });
}

function expiry(pem: string): number {
  return parseCertificate(pem)?.validToDate.getTime() ?? 0;
}
