import type { Pod } from "../api/core.ts";
import { embeddedCatalog } from "../cloud/embedded-catalog.ts";
import { planProvisioning } from "../provisioning/scheduler.ts";
import { PodDecoder } from "../state/pod-decoding.ts";
import type { PodRecord } from "../state/pod-record.ts";
import { isDaemonPod } from "../state/pod-roles.ts";
import type { Settings } from "../state/settings.ts";
import type { SimulatedWorld } from "./simulated-world.ts";
import type { SimulationSample } from "./simulation-result.ts";

/** Takes the figures of a run at regular times, and how long pods waited. */
export class Sampler {
  readonly samples: SimulationSample[] = [];
  readonly secondsToRunning: number[] = [];
  readonly #world: SimulatedWorld;
  readonly #bounds = new Map<string, number>();
  readonly #createdAt = new Map<string, number>();
  #deletedWaiting = 0;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    world.cluster.server.watch("Pod", ({ type, object }) => this.#watchPod(type, object));
  }

  /** Pods so far that were not ready for a moment of their life. */
  neverRan(): number {
    return this.#createdAt.size + this.#deletedWaiting;
  }

  take(): void {
    const { loop, ec2, cluster } = this.#world;
    const decoder = new PodDecoder();
    const pods = cluster.server
      .list("Pod")
      .filter((pod) => pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed")
      .map((pod) => decoder.decode(pod))
      .filter((pod) => !isDaemonPod(pod));
    const live = ec2.instances().filter(({ state }) => state === "pending" || state === "running");
    this.samples.push({
      at: loop.now(),
      nodes: live.length,
      priceUsdPerHour: ec2.priceUsdPerHour(),
      lowerBoundUsdPerHour: this.#bound(pods),
      pendingPods: pods.filter((pod) => pod.nodeName === undefined).length,
      runningPods: pods.filter((pod) => pod.ready).length,
    });
  }

  /** What an empty cluster would at least have to pay for these pods: worked out once for each mix of classes. */
  #bound(pods: readonly PodRecord[]): number {
    const classes = [...Map.groupBy(pods, (pod) => pod.classKey)].map(([key, members]) => `${key}x${members.length}`);
    const key = classes.sort().join();
    const known = this.#bounds.get(key);
    if (known !== undefined) return known;
    const bound = this.#emptyClusterBound(pods);
    this.#bounds.set(key, bound);
    return bound;
  }

  #emptyClusterBound(pods: readonly PodRecord[]): number {
    const { cluster, loop } = this.#world;
    const settings = forBound(this.#world.settings);
    const pending = pods.map(({ nodeName: _node, deletedAt: _deleted, ...pod }) => ({ ...pod, unschedulable: true }));
    return planProvisioning({
      now: loop.now(),
      settings,
      pods: pending,
      nodes: [],
      nodeClaims: [],
      nodePools: cluster.server.list("NodePool"),
      nodeClasses: cluster.server.list("EC2NodeClass"),
      nodeOverlays: cluster.server.list("NodeOverlay"),
      daemonSets: cluster.server.list("DaemonSet"),
      podDisruptionBudgets: [],
      persistentVolumeClaims: cluster.server.list("PersistentVolumeClaim"),
      persistentVolumes: cluster.server.list("PersistentVolume"),
      storageClasses: cluster.server.list("StorageClass"),
      csiNodes: [],
      capacityBuffers: [],
      namespaces: new Map(),
      catalog: embeddedCatalog(settings.region),
      unavailableOfferings: [],
    }).lowerBoundUsdPerHour;
  }

  #watchPod(type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    if (pod.metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet")) return;
    if (type === "ADDED") this.#createdAt.set(uid, this.#world.loop.now());
    const createdAt = this.#createdAt.get(uid);
    const isReady = pod.status?.conditions?.some(
      (condition) => condition.type === "Ready" && condition.status === "True",
    );
    const hasEnded = type === "DELETED" || pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (createdAt === undefined || !(isReady || hasEnded)) return;
    if (isReady) this.secondsToRunning.push((this.#world.loop.now() - createdAt) / 1_000);
    else if (type === "DELETED") this.#deletedWaiting++;
    this.#createdAt.delete(uid);
  }
}

/**
 * A bound says what the pods are worth, whatever the cluster may launch; a plan that a limit cuts knows none. It stands beside what
 * EC2 charges for instances alone.
 */
function forBound(settings: Settings): Settings {
  const { maxNodes: _nodes, maxPriceUsdPerHour: _price, maxLaunchesPerTenMinutes: _launches, ...others } = settings;
  return { ...others, volumePriceFactor: 0, nodeChargeUsdPerHour: 0 };
}
