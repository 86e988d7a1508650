import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { ec2NodeClassHash, hashVersion, nodePoolHash } from "../api/hashes.ts";
import { annotation, awsGroup, label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import { parseTime } from "../api/time.ts";
import type { Ports } from "../ports.ts";
import { conditionOf } from "../state/conditions.ts";
import {
  countingResults,
  failuresInARow,
  formatResult,
  parseResult,
  type RegistrationResult,
  registrationSource,
  resultKey,
} from "../state/registration-health.ts";
import type { Settings } from "../state/settings.ts";
import { readBreakers } from "./breaker-store.ts";
import { patchFacts, readFacts } from "./fact-map.ts";
import { openBreaker } from "./launch-failures.ts";

/** One key per NodeClaim: a result that is told twice counts once, and those who write at the same time do not disturb each other. */
const configMapName = "journeyman-registrations";
/** So many launches in a row that do not become nodes, and the NodePool is left alone for a while (field-scenarios B5.09). */
const mostFailuresInARow = 2;
const mostMessageLength = 300;

export async function readRegistrations(ports: Ports, settings: Settings): Promise<readonly RegistrationResult[]> {
  const facts = await readFacts(ports, settings, configMapName);
  return Object.entries(facts).flatMap(([key, value]) => parseResult(key, value) ?? []);
}

/** A claim's node has registered. Written down only where it changes what is known of the NodePool. */
export async function recordRegistered(ports: Ports, settings: Settings, claim: NodeClaim): Promise<void> {
  const pool = await ownPool(ports, claim);
  if (pool === undefined) return;
  const known = await readRegistrations(ports, settings);
  const hasFailed = known.some(({ nodePool, failure }) => nodePool === pool.metadata.name && failure !== undefined);
  const told = conditionOf(pool, "NodeRegistrationHealthy");
  const isOfNow = told?.observedGeneration === undefined || told.observedGeneration === pool.metadata.generation;
  if (told?.status === "True" && isOfNow && !hasFailed) return;
  await write(ports, settings, pool, [{ claim }]);
}

/** A claim that has not become a node in time, or whose instance has died, and why. */
export interface FailedRegistration {
  readonly claim: NodeClaim;
  readonly reason: string;
  readonly message: string;
}

/**
 * Writes down launches that have not become nodes. After a few in a row their NodePool rests, longer each time, so that nodes that cannot
 * register are not launched and ended without end.
 */
export async function recordFailedRegistrations(
  ports: Ports,
  settings: Settings,
  failures: readonly FailedRegistration[],
): Promise<void> {
  if (failures.length === 0) return;
  const byPool = Map.groupBy(failures, ({ claim }) => claim.metadata.labels?.[label.nodePool] ?? "");
  for (const [name, ofPool] of byPool) {
    const pool = name === "" ? undefined : await ports.kubernetes.get("NodePool", { name });
    const own = ofPool.filter(({ claim }) => pool !== undefined && isOwned(claim, pool));
    if (pool === undefined || own.length === 0) continue;
    const counting = await write(ports, settings, pool, own);
    if (failuresInARow(counting) >= mostFailuresInARow) await rest(ports, settings, pool, own);
  }
}

/** Those of the launches that led to the rest before say nothing new. */
async function rest(
  ports: Ports,
  settings: Settings,
  pool: NodePool,
  failures: readonly FailedRegistration[],
): Promise<void> {
  const nodePool = pool.metadata.name;
  const before = (await readBreakers(ports, settings)).find((breaker) => breaker.nodePool === nodePool);
  const news = failures.find(({ claim: { metadata } }) => {
    const { creationTimestamp } = metadata;
    return before === undefined || creationTimestamp === undefined || parseTime(creationTimestamp) > before.openedAt;
  });
  if (news === undefined) return;
  const { reason, message } = news;
  await openBreaker(ports, settings, { nodePool, error: { code: "RegistrationFailed", reason, message }, before }, [
    pool,
  ]);
}

/** Returns the results that count now, the newest first. Those that count no more are swept in the same write. */
async function write(
  ports: Ports,
  settings: Settings,
  pool: NodePool,
  results: readonly (Pick<FailedRegistration, "claim"> & Partial<FailedRegistration>)[],
): Promise<readonly RegistrationResult[]> {
  const { name } = pool.spec.template.spec.nodeClassRef;
  const nodeClass = await ports.kubernetes.get("EC2NodeClass", { name });
  const source = registrationSource(pool, nodeClass);
  if (nodeClass === undefined || source === undefined) return [];
  const nodePool = pool.metadata.name;
  const fresh = results
    .filter(({ claim }) => isLaunchedFrom(claim, pool, nodeClass))
    .map(({ claim: { metadata }, reason, message = "" }): RegistrationResult => {
      const failure = reason === undefined ? {} : { failure: { reason, message: message.slice(0, mostMessageLength) } };
      return { nodePool, nodeClaimUid: metadata.uid ?? metadata.name, at: ports.clock.now(), source, ...failure };
    });
  const keys = new Set(fresh.map(resultKey));
  const known = (await readRegistrations(ports, settings)).filter((result) => !keys.has(resultKey(result)));
  const counting = countingResults(nodePool, source, [...known, ...fresh]);
  const pools = new Set((await ports.kubernetes.list("NodePool")).map(({ metadata }) => metadata.name));
  const swept = known.filter((one) => (one.nodePool === nodePool ? !counting.includes(one) : !pools.has(one.nodePool)));
  await patchFacts(ports, settings, configMapName, {
    ...Object.fromEntries(swept.map((one) => [resultKey(one), null])),
    ...Object.fromEntries(
      fresh.filter((one) => counting.includes(one)).map((one) => [resultKey(one), formatResult(one)]),
    ),
  });
  return counting;
}

async function ownPool(ports: Ports, claim: NodeClaim): Promise<NodePool | undefined> {
  const name = claim.metadata.labels?.[label.nodePool];
  const pool = name === undefined ? undefined : await ports.kubernetes.get("NodePool", { name });
  return pool !== undefined && isOwned(claim, pool) ? pool : undefined;
}

/** A NodePool of the same name that came later did not make the claim. */
function isOwned({ metadata }: NodeClaim, pool: NodePool): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid) ?? false;
}

/** What has been changed since the claim was made may have been mended. */
function isLaunchedFrom({ metadata }: NodeClaim, pool: NodePool, nodeClass: EC2NodeClass): boolean {
  const { annotations = {} } = metadata;
  const isSame = (key: string, hash: string) =>
    annotations[`${key}-version`] !== hashVersion || annotations[key] === hash;
  return (
    isSame(annotation.nodePoolHash, nodePoolHash(pool)) &&
    isSame(`${awsGroup}/ec2nodeclass-hash`, ec2NodeClassHash(nodeClass))
  );
}
