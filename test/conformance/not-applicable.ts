const dynamicResources = "Dynamic resource allocation is left out: pods with resource claims are refused by name.";
const reservationCounter =
  "About the methods of Karpenter's in-memory counter of reservations; ours is a value within one plan. What it is for is shown by the rows named res.";
const overlayStore =
  "About how Karpenter's in-memory store of overlaid types shares memory; ours is computed anew from each snapshot.";
const bufferCache = "About Karpenter's in-memory cache of buffers; each plan reads them from its snapshot.";
const scheduleTimes =
  "About times that Karpenter keeps in memory, pod by pod, to measure how long pods take to start; we keep nothing between passes.";
const memoryOfState =
  "About how Karpenter keeps its in-memory copy of the cluster; each of our passes reads the cluster afresh. What it is for is shown by ";

/** Rows that have no meaning here, and why. All others have a test. */
export const notApplicable: Readonly<Record<string, string>> = {
  "resmgr.can | capacity left; host already holds; exhausted; exhausted but held; unknown id (x5) | true; true; false; true; panic":
    reservationCounter,
  "resmgr.release | normal, unknown, other host, several, partial, cycles (x7) | restores exactly what was held":
    reservationCounter,
  "resmgr | complex sequences (x2) | counts consistent": reservationCounter,
  "dra.A | single claim; type restriction; non-DRA pod; template-generated claim (x4) | new claim + driver annotation; only device types; no annotation; allocated":
    dynamicResources,
  "dra.B | pods within device count; beyond it (x2) | one claim; second claim": dynamicResources,
  "dra.H | FirstAvailable falls back; prefers first (x2) | qualified sub-request name recorded": dynamicResources,
  "dra.runs | later pass; claim allocated earlier; missing claim created later (x3) | no double allocation; treated as allocated; schedules then":
    dynamicResources,
  "dra.U | claim missing; no type has device; DeviceClass missing; template name nil (x4) | deferred; fails; fails; reference skipped":
    dynamicResources,
  "dra.X | claims need incompatible zones; all types pruned (x2) | not scheduled": dynamicResources,
  "dra.D | zoned device; two zoned claims (x2) | claim narrowed to (shared) zone": dynamicResources,
  "dra.E | shared in-cluster claim; shared template claim (x2) | allocated once; second pod joins same claim":
    dynamicResources,
  "dra.V | device held by live pod; by deleting pod (x2) | not reusable; reusable": dynamicResources,
  "dra.I | launched but uninitialised node | its template devices satisfy the pod": dynamicResources,
  "dra.I | node becomes initialised and publishes slices | devices counted once": dynamicResources,
  "dra.P | one request; several pods within capacity; default applied for an unspecified dimension (x3) | scheduled, packed on one claim":
    dynamicResources,
  "dra.P | capacity used up | second claim": dynamicResources,
  "dra.P | sharing pod is on a deleting node | only its share is freed": dynamicResources,
  "dra.K | profiles within the counter budget / beyond it (x2) | one claim / second claim": dynamicResources,
  "dra.K | two counters | tracked independently; never co-located when either would be exceeded": dynamicResources,
  "dra.K | one profile over budget; device references a missing counter set (x2) | not scheduled": dynamicResources,
  "dra.alloc-ctrl | hydration blocks reads; basic union of devices; claim mutations; releasable flag; consumable aggregation (x45) | device table mirrors claims; releasable only when every claim is reserved solely by pods":
    dynamicResources,
  "overlay.store | copy-on-write memory/sharing (x25) | originals untouched": overlayStore,
  "buffer.cache | first read; later reads; list error (x5) | hydrates once; cached; retried": bufferCache,
  "buffer.cache | update, replace, not ready, remove, concurrent access (x12) | entry follows the buffer; thread safe":
    bufferCache,
  "state.health | pool unhealthy / healthy / already stored / pod deleted / pod already bound (x5) | schedulable-time map behaviour":
    scheduleTimes,
  "state.ack | same pod acked twice / pod errors / pod deleted (x3) | first time kept / schedulable time and mapping dropped / all entries dropped":
    scheduleTimes,
  "state.consol | explicit change; 5 min; pool update (x3) | timestamp moves":
    "About the mark by which Karpenter skips consolidation while its in-memory copy of the cluster has not changed; each of our ticks plans from the cluster as it is.",
  "state.poolstate | add with/without providerID, no pool, several, several pools; no-op; id change; mark/unmark; pending disruption; delete; concurrency (x17) | active/pending/deleting sets exact": `${memoryOfState}the rows named state.pool, sprov and sdeprov.`,
  "state.buffer | unknown node / counts set / replaced / emptied / zero (x5) | false / true / old gone / all gone / not stored": `${memoryOfState}the rows named buffer.`,
  "state.gc | stale entry; live claim; launched entry; clean (x4) | only the stale unlaunched entry dropped": `${memoryOfState}the row named state.sync: nothing can go stale.`,
  "prov | pool with NodeRegistrationHealthy True / False (x2) | healthy-schedule time recorded / not": scheduleTimes,
};
