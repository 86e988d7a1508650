import type { Pod } from "../shared/api/core.ts";
import { Random } from "../shared/simulator/random.ts";
import { SimulatedWorld } from "../shared/simulator/simulated-world.ts";
import type { Settings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";

/** How pods arrive: when each comes, in milliseconds after the first. */
export type Arrivals = (pods: number, random: Random) => readonly number[];

const arrivalMilliseconds = 30_000;
const burstCount = 10;

export const arrivals: Readonly<Record<"at once" | "evenly" | "in bursts", Arrivals>> = {
  "at once": (pods) => Array.from({ length: pods }, () => 0),
  evenly: (pods) => Array.from({ length: pods }, (_, index) => (index * arrivalMilliseconds) / pods),
  "in bursts": (pods, random) => {
    const starts = Array.from({ length: burstCount }, () => random.integer(0, arrivalMilliseconds)).sort(
      (a, b) => a - b,
    );
    return Array.from({ length: pods }, (_, index) => starts[Math.floor((index * burstCount) / pods)] ?? 0);
  },
};

export interface Launched {
  readonly priceUsdPerHour: number;
  readonly nodes: number;
  /** Planner passes that launched something. */
  readonly passes: number;
  readonly unbound: number;
}

/** Long enough for all pods to run. */
const settledMilliseconds = 300_000;

/**
 * What is launched for pods that arrive so, by the production controllers on the simulated stack: webhook, queue, batching window, plans
 * that fill what is in flight. Nothing is disrupted in the meantime.
 */
export async function launchFor(
  { nodePools, nodeClasses, settings, now }: Snapshot,
  pods: readonly Pod[],
  options: { readonly seed: number; readonly arrivals: Arrivals; readonly settings?: Partial<Settings> },
): Promise<Launched> {
  const random = new Random(options.seed);
  const namespaces = [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
  const world = new SimulatedWorld({
    seed: options.seed,
    settings: { ...settings, ...options.settings },
    startAt: now,
    namespaces,
  });
  const { server } = world.cluster;
  for (const nodeClass of nodeClasses) server.create("EC2NodeClass", nodeClass);
  for (const { spec, ...pool } of nodePools) {
    const disruption = { ...spec.disruption, consolidateAfter: "Never" as const };
    server.create("NodePool", { ...pool, spec: { ...spec, disruption } });
  }
  await world.loop.runUntil(now + 5_000);
  const times = options.arrivals(pods.length, random.fork("arrivals"));
  random
    .fork("order")
    .shuffle(pods)
    .forEach((pod, index) => {
      const { name, namespace = "default", labels } = pod.metadata;
      const metadata = { name, namespace, ...(labels && { labels }) };
      world.loop.schedule(times[index] ?? 0, "pod arrives", () => {
        server.create("Pod", { apiVersion: "v1", kind: "Pod", metadata, spec: pod.spec });
      });
    });
  await world.loop.runUntil(world.loop.now() + settledMilliseconds);
  const [bug] = world.bugs;
  if (bug !== undefined) throw new Error(`${bug.name} failed`, { cause: bug.error });
  const claims = server.list("NodeClaim");
  return {
    priceUsdPerHour: world.ec2.priceUsdPerHour(),
    nodes: claims.length,
    passes: new Set(claims.map(({ metadata }) => metadata.creationTimestamp)).size,
    unbound: server.list("Pod", { fieldSelector: "spec.nodeName=" }).length,
  };
}
