import type { Lease } from "../api/core.ts";
import { formatTime, isTime, parseTime } from "../api/time.ts";
import { type MergePatch, type ObjectReference, type Ports, ProviderError } from "../ports.ts";
import { atVersion, update } from "./optimistic-update.ts";

export interface LeaseOptions {
  readonly name: string;
  readonly namespace: string;
  /** The function's timeout and ten seconds (design rule 5): after it the holder is certainly dead. */
  readonly durationSeconds: number;
}

/** Of the one planner (design rule 5). */
export const plannerLease = "journeyman-planner";

export type LeaseAttempt =
  /** `lease` is as it was before, so that its annotations tell what the last holder left. */
  | { readonly kind: "acquired"; readonly lease: Lease }
  | { readonly kind: "held"; readonly holder: string; readonly untilAt: number };

/** Takes the Lease for this invocation if it is free, expired or already ours. Losing a race is "held", not an error. */
export async function acquireLease(ports: Ports, options: LeaseOptions): Promise<LeaseAttempt> {
  const holder = ports.clock.requestId();
  const reference = referenceOf(options);
  const existing = await ports.kubernetes.get("Lease", reference);
  const now = ports.clock.now();
  if (existing !== undefined && isHeldByAnother(existing, holder, now)) return heldBy(existing);
  try {
    const lease =
      existing === undefined
        ? await ports.kubernetes.create("Lease", newLease(options, holder, now))
        : await ports.kubernetes.patch(
            "Lease",
            reference,
            atVersion(takeover(existing, options, holder, now), existing),
          );
    return { kind: "acquired", lease };
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "Conflict") throw error;
    const winner = await ports.kubernetes.get("Lease", reference);
    return winner === undefined ? { kind: "held", holder: "", untilAt: now } : heldBy(winner);
  }
}

/** Starts the duration anew, and may leave annotations on it. False: the Lease has another holder by now, and the work must stop. */
export async function renewLease(
  ports: Ports,
  options: LeaseOptions,
  annotations?: Readonly<Record<string, string>>,
): Promise<boolean> {
  const holder = ports.clock.requestId();
  const renewTime = microTime(ports.clock.now());
  const lease = await update(ports, "Lease", referenceOf(options), (current) =>
    current.spec.holderIdentity === holder
      ? { ...(annotations && { metadata: { annotations } }), spec: { renewTime } }
      : undefined,
  );
  return lease?.spec.holderIdentity === holder;
}

/** Reads again whether the Lease is still ours and in force: to be asked just before each irreversible act (design rule 5). */
export async function holdsLease(ports: Ports, options: Pick<LeaseOptions, "name" | "namespace">): Promise<boolean> {
  const lease = await ports.kubernetes.get("Lease", referenceOf(options));
  return lease?.spec.holderIdentity === ports.clock.requestId() && ports.clock.now() < expiresAt(lease);
}

/** Gives the Lease back if it is ours, and leaves annotations on it for the next holder. */
export async function releaseLease(
  ports: Ports,
  options: LeaseOptions,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const holder = ports.clock.requestId();
  await update(ports, "Lease", referenceOf(options), (current) =>
    current.spec.holderIdentity === holder ? { metadata: { annotations }, spec: { holderIdentity: null } } : undefined,
  );
}

/** Runs `work` under the Lease and releases it, also when `work` throws. Undefined when another holds it. */
export async function withLease<T>(
  ports: Ports,
  options: LeaseOptions,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const attempt = await acquireLease(ports, options);
  if (attempt.kind === "held") {
    ports.telemetry.log("info", "lease held by another", { lease: options.name, holder: attempt.holder });
    return undefined;
  }
  try {
    return await work();
  } finally {
    await releaseLease(ports, options);
  }
}

function referenceOf({ name, namespace }: Pick<LeaseOptions, "name" | "namespace">): ObjectReference {
  return { name, namespace };
}

/** Nobody holds it, or whoever did is certainly dead. */
export function isLeaseFree(lease: Lease, now: number): boolean {
  return !isHeldByAnother(lease, "", now);
}

function isHeldByAnother(lease: Lease, holder: string, now: number): boolean {
  const current = lease.spec.holderIdentity ?? "";
  return current !== "" && current !== holder && now < expiresAt(lease) && !isOfTheFuture(lease, now);
}

function heldBy(lease: Lease): LeaseAttempt {
  return { kind: "held", holder: lease.spec.holderIdentity ?? "", untilAt: expiresAt(lease) };
}

/** A Lease whose times cannot be read has expired: otherwise nobody could ever take it. */
function expiresAt(lease: Lease): number {
  const renewTime = lease.spec.renewTime ?? "";
  return (isTime(renewTime) ? parseTime(renewTime) : 0) + (lease.spec.leaseDurationSeconds ?? 0) * 1_000;
}

/** Renewed by a clock that was ahead by more than a whole duration: it would be held for as long as that, by nobody. */
function isOfTheFuture(lease: Lease, now: number): boolean {
  const durationMilliseconds = (lease.spec.leaseDurationSeconds ?? 0) * 1_000;
  return expiresAt(lease) - now > 2 * durationMilliseconds;
}

/** `metav1.MicroTime` has exactly six decimals, or the API server refuses it. */
function microTime(at: number): string {
  return formatTime(at).replace("Z", "000Z");
}

function newLease(options: LeaseOptions, holder: string, now: number): Lease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: options.name, namespace: options.namespace },
    spec: { ...holding(options, holder, now), leaseTransitions: 0 },
  };
}

function takeover(existing: Lease, options: LeaseOptions, holder: string, now: number): MergePatch {
  return {
    spec: { ...holding(options, holder, now), leaseTransitions: (existing.spec.leaseTransitions ?? 0) + 1 },
  };
}

function holding(options: LeaseOptions, holder: string, now: number) {
  const time = microTime(now);
  return { holderIdentity: holder, leaseDurationSeconds: options.durationSeconds, acquireTime: time, renewTime: time };
}
