import type { Node, Pod } from "../../shared/api/core.ts";
import { label, terminationFinalizer } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { Condition } from "../../shared/api/schema.ts";
import { formatTime } from "../../shared/api/time.ts";
import type { Hint } from "../../shared/hints.ts";
import type { Ports } from "../../shared/ports.ts";
import { ApiServer } from "../../shared/simulator/api-server.ts";
import { EventLoop } from "../../shared/simulator/event-loop.ts";
import { type KubernetesFaults, SimulatedKubernetes } from "../../shared/simulator/kubernetes-port.ts";
import { Random } from "../../shared/simulator/random.ts";
import { RecordingTelemetry } from "../../shared/simulator/telemetry-port.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { nodeNamed, type PodInput, podNamed } from "./cluster-objects.ts";
import { MemoryEc2 } from "./memory-ec2.ts";
import { nodeClaim } from "./node-claims.ts";

export const startAt = Date.UTC(2026, 10, 30, 12);

interface SentHint {
  readonly hint: Hint;
  readonly delaySeconds: number;
}

export type ControllerWorld = ReturnType<typeof controllerWorld>;

/** One controller's world: the simulated API server without any other controller, an EC2 map, and hints that go nowhere. */
export function controllerWorld(faults: KubernetesFaults = {}) {
  const loop = new EventLoop(startAt);
  const server = new ApiServer({ loop, random: new Random(1), namespaces: ["journeyman"] });
  const ec2 = new MemoryEc2();
  const telemetry = new RecordingTelemetry(() => loop.now());
  const sent: SentHint[] = [];
  const invocation = { remainingMilliseconds: 60_000, requestId: "request-1" };
  const ports: Ports = {
    kubernetes: new SimulatedKubernetes(server, "journeyman", faults),
    ec2,
    telemetry,
    cluster: { describe: () => Promise.reject(new Error("these controllers launch nothing")) },
    hints: { send: async (hint, options) => void sent.push({ hint, delaySeconds: options?.delaySeconds ?? 0 }) },
    clock: {
      now: () => loop.now(),
      sleep: () => Promise.reject(new Error("controllers do not wait")),
      remainingMilliseconds: () => invocation.remainingMilliseconds,
      requestId: () => invocation.requestId,
    },
  };
  return {
    loop,
    ports,
    server,
    ec2,
    telemetry,
    sent,
    invocation,
    settings: { ...defaultSettings, region: "us-east-1" },
    now: () => loop.now(),
    advance: (seconds: number) => loop.runUntil(loop.now() + seconds * 1_000),
    claim: (name: string): NodeClaim | undefined => server.get("NodeClaim", { name }),
    node: (name: string): Node | undefined => server.get("Node", { name }),
    pod: (name: string): Pod | undefined => server.get("Pod", { name, namespace: "default" }),
  };
}

function condition(type: string, at: number, status: Condition["status"] = "True"): Condition {
  return { type, status, reason: type, message: "", lastTransitionTime: formatTime(at) };
}

/** A launched NodeClaim with its instance `i-NAME`; conditions hold since `at`. */
export function addClaim(
  world: ControllerWorld,
  name: string,
  input: Parameters<typeof nodeClaim>[1] & { readonly conditions?: readonly string[]; readonly at?: number } = {},
): NodeClaim {
  const { conditions = ["Launched"], at = world.now(), status, ...options } = input;
  const claim = nodeClaim(name, options);
  const labels = { [label.capacityType]: "spot", [label.zone]: "us-east-1a", [label.instanceType]: "m5.large" };
  const metadata = {
    ...claim.metadata,
    finalizers: [terminationFinalizer],
    labels: { ...labels, ...claim.metadata.labels },
  };
  world.server.create("NodeClaim", { ...claim, metadata });
  world.ec2.add({ instanceId: `i-${name}`, launchedAt: world.now() });
  const launched = { providerID: providerId(name), conditions: conditions.map((type) => condition(type, at)) };
  return world.server.patch("NodeClaim", { name }, { status: { ...launched, ...status } }, { subresource: "status" });
}

/** The Node of a claim as its kubelet makes it; Ready unless stated otherwise. */
export function addNode(
  world: ControllerWorld,
  claimName: string,
  input: { readonly taints?: NonNullable<Node["spec"]>["taints"]; readonly isReady?: boolean } = {},
): Node {
  const name = nodeNameOf(claimName);
  const taints = input.taints ?? [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }];
  world.server.create("Node", nodeNamed(name, { spec: { providerID: providerId(claimName), taints } }));
  const ready = condition("Ready", world.now(), input.isReady === false ? "False" : "True");
  return world.server.patch("Node", { name }, { status: { conditions: [ready] } }, { subresource: "status" });
}

/** A claim whose node runs pods. */
export function addRunningNode(world: ControllerWorld, name: string, input: Parameters<typeof addClaim>[2] = {}): void {
  const conditions = ["Launched", "Registered", "Initialized"];
  addClaim(world, name, { conditions, ...input, status: { nodeName: nodeNameOf(name), ...input.status } });
  addNode(world, name, { taints: [] });
  const labels = { [label.registered]: "true", [label.initialized]: "true", [label.nodePool]: "default" };
  const metadata = { labels, finalizers: [terminationFinalizer] };
  world.server.patch("Node", { name: nodeNameOf(name) }, { metadata });
}

/** A running pod on a claim's node. */
export function addPod(world: ControllerWorld, name: string, claimName: string, input: PodInput & PodMeta = {}): Pod {
  world.server.create("Pod", podNamed(name, input));
  world.server.bind({ name, namespace: "default" }, nodeNameOf(claimName));
  const status = {
    phase: "Running",
    conditions: [condition("Ready", world.now())],
    startTime: formatTime(world.now()),
  };
  return world.server.patch("Pod", { name, namespace: "default" }, { status }, { subresource: "status" });
}
type PodMeta = Parameters<typeof podNamed>[1];

/** Takes a terminating pod away, as its kubelet does when the containers have ended. */
export function endPod(world: ControllerWorld, name: string): void {
  world.server.delete("Pod", { name, namespace: "default" }, { gracePeriodSeconds: 0 });
}

export function nodeNameOf(claimName: string): string {
  return `node-${claimName}`;
}

function providerId(claimName: string): string {
  return `aws:///us-east-1a/i-${claimName}`;
}
