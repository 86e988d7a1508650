import { certificateFault, renewalAt } from "./certificate-check.ts";
import type { CertificateSet } from "./certificates.ts";

/** What the replicas share through one Secret. */
export interface Rotation {
  /** What is served. */
  readonly current: CertificateSet;
  /** What will be served once all clients trust it. */
  readonly next?: NextSet;
}

interface NextSet extends CertificateSet {
  /** When it was made, epoch milliseconds. */
  readonly since: number;
}

export interface RotationInput {
  /** As the Secret has it; undefined where the Secret is missing or incomplete. */
  readonly stored: Rotation | undefined;
  /** As this replica had it last. */
  readonly held: Rotation | undefined;
  readonly dnsNames: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether every client has been told to trust its authority. */
  readonly isTrusted: (set: CertificateSet) => boolean;
  readonly create: () => CertificateSet;
}

export type RotationStep =
  | { readonly kind: "keep"; readonly rotation: Rotation }
  | { readonly kind: "write"; readonly rotation: Rotation; readonly why: string };

/** How long an authority is trusted before the first certificate from it is served: API servers hear of a changed configuration by watch. */
const settleMilliseconds = 5 * 60_000;

/**
 * The next step of a rotation, for any replica to take: make the next set at two thirds of the life of the current one, serve it when
 * it has been trusted for five minutes. A set that cannot be served is replaced: by the next one, by what this replica still holds, or
 * by a new one.
 */
export function planRotation({ stored, held, dnsNames, now, isTrusted, create }: RotationInput): RotationStep {
  const faultOf = (set: CertificateSet) => certificateFault(set, dnsNames, now);
  const fault = stored === undefined ? "there is none" : faultOf(stored.current);
  const next = stored?.next !== undefined && faultOf(stored.next) === undefined ? stored.next : undefined;
  if (stored === undefined || fault !== undefined) {
    const why = `the shared certificate cannot be served: ${fault}`;
    if (next !== undefined) return write({ current: bare(next) }, why);
    if (held !== undefined && faultOf(held.current) === undefined) return write(held, why);
    return write({ current: create() }, why);
  }
  const { current } = stored;
  if (next === undefined && now >= renewalAt(current)) {
    return write({ current, next: { ...create(), since: now } }, "two thirds of the certificate's life have passed");
  }
  if (next !== undefined && isTrusted(next) && now >= next.since + settleMilliseconds) {
    return write({ current: bare(next) }, "the next certificate is trusted");
  }
  if (next === undefined && stored.next !== undefined) return write({ current }, "the next certificate is broken");
  return { kind: "keep", rotation: stored };
}

function write(rotation: Rotation, why: string): RotationStep {
  return { kind: "write", rotation, why };
}

function bare({ certificate, privateKey, certificateAuthority }: CertificateSet): CertificateSet {
  return { certificate, privateKey, certificateAuthority };
}
