import * as z from "zod";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodePool } from "../api/node-pool.ts";
import { formatTime } from "../api/time.ts";
import { storedJson, storedTime } from "../cloud/stored-facts.ts";
import type { ConditionChange } from "./condition-changes.ts";
import { conditionOf } from "./conditions.ts";

/** What became of one NodeClaim of a NodePool: its node registered, or it never did. */
export interface RegistrationResult {
  readonly nodePool: string;
  readonly nodeClaimUid: string;
  /** Undefined: it registered. */
  readonly failure?: { readonly reason: string; readonly message: string };
  readonly at: number;
  /** What the node was launched from: of another NodePool, or of another state of it or its class, it says nothing. */
  readonly source: string;
}

/** So many results count, the newest. */
const ringSize = 4;
/** Of these, so many failures make a NodePool unhealthy. */
const mostFailures = 2;

const type = "NodeRegistrationHealthy";

/** The state of a NodePool and its class that a result is about; undefined without the class. */
export function registrationSource({ metadata }: NodePool, nodeClass: EC2NodeClass | undefined): string | undefined {
  if (nodeClass === undefined) return undefined;
  return [metadata.uid, metadata.generation, nodeClass.metadata.uid, nodeClass.metadata.generation].join("/");
}

/** Those results that count for a source, the newest first (karpenter-core §8: a ring of four). */
export function countingResults(
  nodePool: string,
  source: string | undefined,
  results: readonly RegistrationResult[],
): readonly RegistrationResult[] {
  return results
    .filter((result) => result.nodePool === nodePool && result.source === source)
    .sort((a, b) => b.at - a.at || (a.nodeClaimUid < b.nodeClaimUid ? -1 : 1))
    .slice(0, ringSize);
}

/**
 * Karpenter's NodeRegistrationHealthy (karpenter-core §8): False from two failures among the last four nodes on, True after one that
 * registered, Unknown once NodePool or class have changed. Undefined: it stays as it is.
 */
export function registrationHealth(
  pool: NodePool,
  nodeClass: EC2NodeClass | undefined,
  results: readonly RegistrationResult[],
): ConditionChange | undefined {
  const source = registrationSource(pool, nodeClass);
  if (source === undefined) return undefined;
  const counting = countingResults(pool.metadata.name, source, results);
  const failures = counting.flatMap(({ failure }) => failure ?? []);
  const [newest] = failures;
  if (newest !== undefined && failures.length >= mostFailures) return { type, status: "False", ...newest };
  if (counting.length > failures.length) return { type, status: "True", reason: type };
  const current = conditionOf(pool, type);
  const { generation } = pool.metadata;
  const observed = { pool: current?.observedGeneration, nodeClass: pool.status?.nodeClassObservedGeneration };
  const isCurrent =
    current !== undefined &&
    (observed.pool === undefined || observed.pool === generation) &&
    (observed.nodeClass === undefined || observed.nodeClass === nodeClass?.metadata.generation);
  if (isCurrent) return undefined;
  const message = "no node of the NodePool as it is now has registered, or failed to";
  return { type, status: "Unknown", reason: "AwaitingReconciliation", message };
}

/** How many launches in a row have not become nodes. */
export function failuresInARow(counting: readonly RegistrationResult[]): number {
  const registered = counting.findIndex(({ failure }) => failure === undefined);
  return registered === -1 ? counting.length : registered;
}

/** The ConfigMap's key; a UID has no dot. */
export function resultKey({ nodePool, nodeClaimUid }: RegistrationResult): string {
  return `${nodePool}.${nodeClaimUid}`;
}

const storedResult = storedJson(
  z.object({
    at: storedTime,
    source: z.string(),
    failure: z.object({ reason: z.string(), message: z.string() }).exactOptional(),
  }),
);

export function formatResult({ at, source, failure }: RegistrationResult): string {
  return JSON.stringify({ at: formatTime(at), source, ...(failure && { failure }) });
}

/** Undefined when the value is none. */
export function parseResult(key: string, value: string): RegistrationResult | undefined {
  const dot = key.lastIndexOf(".");
  const parsed = storedResult.safeParse(value);
  if (dot < 1 || !parsed.success) return undefined;
  return { nodePool: key.slice(0, dot), nodeClaimUid: key.slice(dot + 1), ...parsed.data };
}
