import { label } from "../api/labels.ts";
import type { NodePool } from "../api/node-pool.ts";
import { closesAtLaunch, describeBreaker, type LaunchBreaker, openedBreaker } from "../cloud/launch-breaker.ts";
import { metric } from "../metrics.ts";
import type { Ports } from "../ports.ts";
import { isTrue, transitionedAt } from "../state/conditions.ts";
import type { Settings } from "../state/settings.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { closeBreakers, writeBreaker } from "./breaker-store.ts";
import { writeWarning } from "./object-events.ts";

export interface PoolFailure {
  readonly nodePool: string;
  readonly error: { readonly code: string; readonly reason: string; readonly message: string };
  readonly before: LaunchBreaker | undefined;
}

/**
 * Opens the circuit breaker of a NodePool, for longer with each failure in a row. It is seen in the NodePool's condition LaunchHealthy, in
 * an event on it, and in a metric.
 */
export async function openBreaker(
  ports: Ports,
  settings: Settings,
  { nodePool, error, before }: PoolFailure,
  nodePools: readonly NodePool[],
): Promise<LaunchBreaker> {
  const breaker = openedBreaker(before, nodePool, error, ports.clock.now());
  await writeBreaker(ports, settings, breaker);
  ports.telemetry.count(metric.breakersOpened, 1);
  const message = describeBreaker(breaker);
  ports.telemetry.log("error", "launches of a NodePool are stopped", { nodePool, reason: error.reason, message });
  const pool = nodePools.find(({ metadata }) => metadata.name === nodePool);
  if (pool !== undefined) await writeWarning(ports, pool, { reason: error.reason, message });
  return breaker;
}

/**
 * The snapshot without breakers that have nothing to guard any more: of NodePools that are gone, and of those whose instances died after
 * their launch, where one has become a node since.
 */
export async function withoutMended(ports: Ports, settings: Settings, snapshot: Snapshot): Promise<Snapshot> {
  const { launchBreakers = [] } = snapshot;
  if (launchBreakers.length === 0) return snapshot;
  const mended = new Set(launchBreakers.filter((breaker) => isMended(breaker, snapshot)));
  await closeBreakers(
    ports,
    settings,
    [...mended].map(({ nodePool }) => nodePool),
  );
  return { ...snapshot, launchBreakers: launchBreakers.filter((breaker) => !mended.has(breaker)) };
}

function isMended(breaker: LaunchBreaker, { nodePools, nodeClaims }: Snapshot): boolean {
  const { nodePool, openedAt } = breaker;
  if (!nodePools.some(({ metadata }) => metadata.name === nodePool)) return true;
  if (closesAtLaunch(breaker)) return false;
  return nodeClaims.some(
    (claim) =>
      claim.metadata.labels?.[label.nodePool] === nodePool &&
      isTrue(claim, "Registered") &&
      (transitionedAt(claim, "Registered") ?? 0) > openedAt,
  );
}
