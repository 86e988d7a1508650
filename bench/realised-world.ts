import type { Pod } from "../shared/api/core.ts";
import { label, taintKey } from "../shared/api/labels.ts";
import type { NodeClaim } from "../shared/api/node-claim.ts";
import { formatTime } from "../shared/api/time.ts";
import { lifecycle } from "../shared/controllers/lifecycle.ts";
import { plannedObject } from "../shared/controllers/planned-objects.ts";
import type { Hint } from "../shared/hints.ts";
import type { KubernetesPort, Ports } from "../shared/ports.ts";
import type { PlannedNodeClaim } from "../shared/provisioning/plan.ts";
import { planProvisioning } from "../shared/provisioning/scheduler.ts";
import { formatResources } from "../shared/scheduling/resources.ts";
import { ApiServer } from "../shared/simulator/api-server.ts";
import { simulatedClock } from "../shared/simulator/clock-port.ts";
import { EventLoop } from "../shared/simulator/event-loop.ts";
import { Random } from "../shared/simulator/random.ts";
import { Scheduler } from "../shared/simulator/scheduler.ts";
import { RecordingTelemetry } from "../shared/simulator/telemetry-port.ts";
import { PodDecoder } from "../shared/state/pod-decoding.ts";
import type { Settings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";

/** What became of a plan. */
export interface Realised {
  readonly plannedPods: number;
  readonly nodes: number;
  readonly priceUsdPerHour: number;
  /** Planned pods that kube-scheduler has put nowhere when all nodes have been ready for a while. */
  readonly waitingPods: number;
  /** Those of them that the next plan makes a node for; the others run on the planned nodes once these run. */
  readonly furtherPods: number;
  readonly furtherNodes: number;
  readonly furtherUsdPerHour: number;
}

/** Between two nodes that become ready; where there are many, so that all have come after {@link rampMilliseconds}. */
const betweenNodesMilliseconds = [500, 5_000] as const;
const rampMilliseconds = 120_000;
/** From a node's first sign of life until it is ready. */
const startingMilliseconds = 3_000;
/** One call to the API server. */
const callMilliseconds = [5, 20] as const;
const sweepMilliseconds = 60_000;
/** How long after the last node is ready its pods count as on their way. */
const settlingMilliseconds = 60_000;

/**
 * Plans pods, lets the plan's nodes become ready one after another, in a random order, before kube-scheduler and the production
 * lifecycle controller, and counts what does not come true. Pods arrive in a random order. Equal inputs and seed, equal outcome.
 */
export async function realise(
  world: Snapshot,
  pods: readonly Pod[],
  options: { readonly seed: number; readonly settings: Partial<Settings> },
): Promise<Realised> {
  const stage = new Stage({ ...world, settings: { ...world.settings, ...options.settings } }, options.seed);
  await stage.arrive(pods);
  const snapshot = stage.snapshot();
  const plan = planProvisioning(snapshot);
  const unplanned = new Set(plan.unschedulable.map(({ pod }) => pod.uid));
  await stage.launch(plan.nodeClaims, (planned) => plannedObject(planned, { snapshot, plan }));
  const after = planProvisioning(stage.snapshot());
  const waiting = stage.pending().filter(({ metadata }) => !unplanned.has(metadata.uid ?? ""));
  const further = after.nodeClaims.flatMap(({ pods }) => pods).filter(({ uid }) => !unplanned.has(uid));
  return {
    plannedPods: plan.nodeClaims.reduce((sum, claim) => sum + claim.pods.length, 0),
    nodes: plan.nodeClaims.length,
    priceUsdPerHour: plan.priceUsdPerHour,
    waitingPods: waiting.length,
    furtherPods: further.length,
    furtherNodes: after.nodeClaims.length,
    furtherUsdPerHour: after.priceUsdPerHour,
  };
}

/** A cluster of an API server and kube-scheduler, to which nodes are added by hand. */
class Stage {
  readonly #world: Snapshot;
  readonly #loop: EventLoop;
  readonly #server: ApiServer;
  readonly #random: Random;
  readonly #ports: Ports;

  constructor(world: Snapshot, seed: number) {
    this.#world = world;
    this.#loop = new EventLoop(world.now);
    this.#random = new Random(seed);
    const random = this.#random;
    this.#server = new ApiServer({ loop: this.#loop, random, namespaces: [...world.namespaces.keys()] });
    new Scheduler({ loop: this.#loop, random, server: this.#server });
    this.#ports = this.#lifecyclePorts();
  }

  async arrive(pods: readonly Pod[]): Promise<void> {
    for (const { apiVersion, kind, metadata, spec } of this.#random.fork("arrivals").shuffle(pods)) {
      const { name, namespace = "default", labels } = metadata;
      const app = labels?.app ?? name;
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid: app, controller: true };
      const written = { name, namespace, ...(labels && { labels }), ownerReferences: [owner] };
      this.#server.create("Pod", { apiVersion, kind, metadata: written, spec });
    }
    await this.#loop.runUntilIdle(this.#loop.now() + 60_000);
  }

  async launch(claims: readonly PlannedNodeClaim[], objectOf: (planned: PlannedNodeClaim) => NodeClaim): Promise<void> {
    const random = this.#random.fork("nodes");
    const [least, most] = betweenNodesMilliseconds;
    const haste = Math.min(1, (2 * rampMilliseconds) / (claims.length * (least + most)));
    let delay = 0;
    for (const planned of random.shuffle(claims)) {
      this.#createClaim(objectOf(planned));
      delay += haste * random.integer(least, most);
      this.#loop.schedule(delay, "node starts", () => this.#startNode(planned));
    }
    const endAt = this.#loop.now() + delay + startingMilliseconds + settlingMilliseconds;
    for (let at = sweepMilliseconds / 2; at < endAt - this.#loop.now(); at += sweepMilliseconds) {
      this.#hint({ kind: "lifecycle-sweep", at: 0 }, at);
    }
    await this.#loop.runUntil(endAt);
  }

  pending(): readonly Pod[] {
    return this.#server.list("Pod", { fieldSelector: "spec.nodeName=" });
  }

  snapshot(): Snapshot {
    const decoder = new PodDecoder();
    return {
      ...this.#world,
      // Nominations hold no longer than this.
      now: this.#loop.now() + 1_000,
      pods: this.#server.list("Pod").map((pod) => decoder.decode(pod)),
      nodes: this.#server.list("Node"),
      nodeClaims: this.#server.list("NodeClaim"),
    };
  }

  #createClaim(object: NodeClaim): void {
    const { name } = object.metadata;
    this.#server.create("NodeClaim", object);
    const launched = { type: "Launched", status: "True", reason: "Launched", message: "" } as const;
    const conditions = [{ ...launched, lastTransitionTime: formatTime(this.#loop.now()) }];
    const status = { providerID: providerIdOf(name), conditions };
    this.#server.patch("NodeClaim", { name }, { status }, { subresource: "status" });
  }

  #startNode({ name, offerings: [offering], allocatable, labels }: PlannedNodeClaim): void {
    const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;
    const unregistered = { key: taintKey.unregistered, effect: "NoExecute" } as const;
    this.#server.create("Node", {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        labels: {
          ...labels,
          [label.hostname]: name,
          [label.zone]: offering.zone,
          [label.capacityType]: offering.capacityType,
          [label.instanceType]: offering.instanceType,
          [label.arch]: "amd64",
          [label.os]: "linux",
        },
      },
      spec: { providerID: providerIdOf(name), taints: [unregistered, notReady] },
      status: { allocatable: formatResources(allocatable) },
    });
    this.#hint({ kind: "node", name, at: 0 }, 0);
    this.#loop.schedule(startingMilliseconds, "node is ready", () => {
      const conditions = [{ type: "Ready", status: "True" }];
      this.#server.patch("Node", { name }, { status: { conditions } }, { subresource: "status" });
      this.#server.patch("Node", { name }, { spec: { taints: [unregistered] } });
      this.#hint({ kind: "node", name, at: 0 }, 0);
    });
  }

  #hint(hint: Hint, delayMilliseconds: number): void {
    this.#loop.schedule(delayMilliseconds, `hint ${hint.kind}`, () =>
      lifecycle(this.#ports, this.#world.settings, [hint]),
    );
  }

  #lifecyclePorts(): Ports {
    return {
      kubernetes: kubernetesPort(this.#server, this.#loop, this.#random.fork("calls")),
      ec2: {
        runInstances: unused,
        describeInstances: unused,
        terminateInstances: unused,
        createTags: () => Promise.resolve(),
      },
      cluster: { describe: unused },
      hints: {
        send: async (hint, options) => {
          if (hint.kind === "node") this.#hint(hint, (options?.delaySeconds ?? 0) * 1_000);
        },
      },
      clock: simulatedClock(this.#loop, "lifecycle"),
      telemetry: new RecordingTelemetry(() => this.#loop.now()),
    };
  }
}

/** Every call takes its time, on the way to the API server. What is handed out is the server's own, and frozen. */
function kubernetesPort(server: ApiServer, loop: EventLoop, random: Random): KubernetesPort {
  const reached = () => loop.sleep(random.integer(...callMilliseconds));
  return {
    list: async (kind, options) => {
      await reached();
      return server.list(kind, options);
    },
    get: async (kind, reference) => {
      await reached();
      return server.get(kind, reference);
    },
    patch: async (kind, reference, patch, options) => {
      await reached();
      return server.patch(kind, reference, patch, options);
    },
    create: unused,
    delete: unused,
    evict: unused,
  };
}

function unused(): Promise<never> {
  return Promise.reject(new Error("nodes are made by hand here"));
}

function providerIdOf(name: string): string {
  return `aws:///zone/i-${name}`;
}
