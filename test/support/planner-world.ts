import type { Pod } from "../../shared/api/core.ts";
import { annotation, label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import { type NodePool, nodePool } from "../../shared/api/node-pool.ts";
import { formatTime } from "../../shared/api/time.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { type LeaderRecord, parseLaunchRecord } from "../../shared/cloud/launch-record.ts";
import { type PassResult, provision } from "../../shared/controllers/provisioning.ts";
import type { Hint } from "../../shared/hints.ts";
import { type Ec2Port, type Ports, ProviderError, type RunInstancesRequest } from "../../shared/ports.ts";
import { SimulatedEc2 } from "../../shared/simulator/ec2.ts";
import { SimulatedEc2Port } from "../../shared/simulator/ec2-port.ts";
import { EventBus } from "../../shared/simulator/event-bus.ts";
import type { KubernetesFaults } from "../../shared/simulator/kubernetes-port.ts";
import { Random } from "../../shared/simulator/random.ts";
import { type PodInput, podNamed } from "./cluster-objects.ts";
import { controllerWorld } from "./controller-world.ts";
import { nodeClass } from "./node-classes.ts";
import { origin, startAt } from "./simulated-aws.ts";

export type PlannerWorld = ReturnType<typeof plannerWorld>;

/** The planner's world: the simulated API server without any other controller, the simulated EC2, and hints that go nowhere. */
export function plannerWorld(
  faults: KubernetesFaults = {},
  options: { /** Zone by id; one in each zone unless stated. */ readonly subnets?: ReadonlyMap<string, string> } = {},
) {
  const world = controllerWorld(faults);
  const { loop } = world;
  const random = new Random(1);
  const catalog = embeddedCatalog("us-east-1");
  const subnets = options.subnets ?? new Map(catalog.zones.map((zone) => [`subnet-${zone}`, zone]));
  const defaultBus = new EventBus("default", loop, random, origin);
  const aws = new SimulatedEc2({ loop, random, catalog, account: origin.account, subnets, defaultBus });
  const requests: RunInstancesRequest[] = [];
  const ec2 = recording(new SimulatedEc2Port(aws, world.settings.clusterName), requests);
  const cluster = {
    name: world.settings.clusterName,
    endpoint: "https://cluster.example",
    certificateAuthority: "Y2E=",
    serviceCidr: "172.20.0.0/16",
  };
  const ports: Ports = {
    ...world.ports,
    ec2,
    cluster: { describe: async () => cluster },
    clock: { ...world.ports.clock, sleep: (milliseconds) => loop.sleep(milliseconds) },
  };
  const image = { id: "ami-1", requirements: [{ key: label.arch, operator: "In" as const, values: ["amd64"] }] };
  const status = {
    subnets: [...subnets].map(([id, zone]) => ({ id, zone })),
    securityGroups: [{ id: "sg-1" }],
    amis: [image],
    instanceProfile: "node",
    conditions: [{ type: "Ready", status: "True", reason: "", message: "", lastTransitionTime: formatTime(startAt) }],
  };
  world.server.create("EC2NodeClass", nodeClass());
  world.server.patch("EC2NodeClass", { name: "default" }, { status }, { subresource: "status" });
  const settle = <T>(work: Promise<T>) => loop.runUntilSettled(work, loop.now() + 300_000);
  return {
    ...world,
    ports,
    aws,
    requests,
    settle,
    /** One pass for a hint of this moment, as an invocation of its own. */
    provision: (hints: readonly Hint[] = [hintAt(loop.now())], overrides: Partial<Ports> = {}): Promise<PassResult> => {
      world.invocation.requestId = `pass-${loop.now()}-${requests.length}`;
      return settle(provision({ ...ports, ...overrides }, world.settings, hints));
    },
    claims: (): NodeClaim[] => world.server.list("NodeClaim"),
    living: () => aws.instances().filter(({ state }) => state === "pending" || state === "running"),
  };
}

export function hintAt(at: number, reason: Extract<Hint, { kind: "provision" }>["reason"] = "sweep"): Hint {
  return { kind: "provision", reason, at };
}

/** A NodePool of on-demand m5.large in zone a, unless stated otherwise. */
export function addNodePool(
  world: Pick<PlannerWorld, "server">,
  name: string,
  input: {
    readonly types?: readonly string[];
    readonly capacityTypes?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly zones?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    /** Of a static pool. */
    readonly replicas?: number;
    readonly limits?: Readonly<Record<string, string>>;
  } = {},
): NodePool {
  const requirements = [
    { key: label.capacityType, operator: "In", values: input.capacityTypes ?? ["on-demand"] },
    { key: label.instanceType, operator: "In", values: input.types ?? ["m5.large"] },
    { key: label.zone, operator: "In", values: input.zones ?? ["us-east-1a"] },
  ];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  const metadata = { labels: { ...input.labels } };
  const { replicas, limits } = input;
  return world.server.create(
    "NodePool",
    nodePool.parse({
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name, ...(input.annotations && { annotations: input.annotations }) },
      spec: {
        template: { metadata, spec: { nodeClassRef, requirements } },
        ...(replicas !== undefined && { replicas }),
        ...(limits !== undefined && { limits }),
      },
    }),
  );
}

/** A pod that kube-scheduler has found no node for; of 1.5 cpus, so that an m5.large holds one. */
export function addPendingPod(
  { server, now }: Pick<PlannerWorld, "server" | "now">,
  name: string,
  input: PodInput & { readonly pool?: string } = {},
): Pod {
  const { pool, ...pod } = input;
  const spec = pool === undefined ? {} : { nodeSelector: { [label.nodePool]: pool } };
  server.create("Pod", podNamed(name, { cpu: "1500m", memory: "1Gi", spec, ...pod }));
  const unschedulable = {
    type: "PodScheduled",
    status: "False" as const,
    reason: "Unschedulable",
    message: "0/0 nodes are available",
    lastTransitionTime: formatTime(now()),
  };
  const status = { phase: "Pending", conditions: [unschedulable] };
  return server.patch("Pod", { name, namespace: "default" }, { status }, { subresource: "status" });
}

/** The launch record of the claim that leads its group. */
export function leaderRecord(claims: readonly NodeClaim[]): LeaderRecord | undefined {
  return claims
    .map(({ metadata }) => parseLaunchRecord(metadata.annotations?.[annotation.launch]))
    .flatMap((parsed) => (parsed.kind === "record" && parsed.record.role === "leader" ? [parsed.record] : []))[0];
}

export function throttledError(): ProviderError {
  return new ProviderError("Throttled", "TooManyRequests", "slow down");
}

function recording(port: Ec2Port, requests: RunInstancesRequest[]): Ec2Port {
  return {
    runInstances: (request) => {
      requests.push(request);
      return port.runInstances(request);
    },
    describeInstances: (filter) => port.describeInstances(filter),
    terminateInstances: (instanceIds) => port.terminateInstances(instanceIds),
    createTags: (instanceIds, tags) => port.createTags(instanceIds, tags),
  };
}
