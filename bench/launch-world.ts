import { ec2NodeClass } from "../shared/api/ec2-node-class.ts";
import { label } from "../shared/api/labels.ts";
import { nodePool } from "../shared/api/node-pool.ts";
import { Ec2ApiError } from "../shared/simulator/ec2-api-error.ts";
import { SimulatedWorld } from "../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../shared/state/settings.ts";

export const markets = ["on-demand", "spot"] as const;
export type Market = (typeof markets)[number];

export interface LaunchFigures {
  readonly nodes: number;
  /** Of RunInstances. */
  readonly calls: number;
  /** (type, zone) pools that the nodes lie in. */
  readonly pools: number;
  /** Virtual seconds from the pods' arrival, or from the first call, until the last instance is pending. */
  readonly seconds: number;
}

const startAt = Date.UTC(2026, 0, 1, 12);
const longestMilliseconds = 600_000;

/** So many equal nodes, one for each pod, launched by the production controllers on the simulated stack. */
export async function launchAlike(nodes: number, market: Market, seed: number): Promise<LaunchFigures> {
  const world = new SimulatedWorld({ seed, settings: { ...defaultSettings, region: "us-east-1" }, startAt });
  const { server } = world.cluster;
  server.create("EC2NodeClass", ec2NodeClass.parse(classManifest));
  server.create("NodePool", nodePool.parse(poolManifest(market)));
  await world.loop.runUntil(startAt + 5_000);
  const arrivedAt = world.loop.now();
  for (let index = 0; index < nodes; index++) {
    const resources = { requests: { cpu: "1200m", memory: "1Gi" } };
    server.create("Pod", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `web-${index}`, namespace: "default", labels: { app: "web" } },
      spec: { containers: [{ name: "web", resources }] },
    });
  }
  const deadlineAt = arrivedAt + longestMilliseconds;
  while (world.ec2.instances().length < nodes && world.loop.now() < deadlineAt) {
    await world.loop.runUntil(world.loop.now() + 1_000);
  }
  const instances = world.ec2.instances();
  if (instances.length !== nodes) throw new Error(`${instances.length} instances were launched instead of ${nodes}`);
  return {
    nodes,
    calls: world.ec2.apiCalls().get("RunInstances") ?? 0,
    pools: new Set(instances.map(({ instanceType, zone }) => `${instanceType} ${zone}`)).size,
    seconds: (Math.max(...instances.map(({ launchedAt }) => launchedAt)) - arrivedAt) / 1_000,
  };
}

/**
 * The same with one call for each node, all at once and each tried again every second while the account's bucket is empty: what EC2's
 * limits leave to a provisioner that does not group.
 */
export async function launchSingly(nodes: number, seed: number): Promise<LaunchFigures> {
  const world = new SimulatedWorld({ seed, settings: { ...defaultSettings, region: "us-east-1" }, startAt });
  const { ec2, loop } = world;
  const one = async (index: number): Promise<void> => {
    try {
      await ec2.runInstances(singleRequest(index));
    } catch (error) {
      if (!(error instanceof Ec2ApiError) || error.code !== "RequestLimitExceeded") throw error;
      await loop.sleep(1_000);
      return one(index);
    }
  };
  const all = Promise.all(Array.from({ length: nodes }, (_, index) => one(index)));
  await loop.runUntilSettled(all, startAt + longestMilliseconds);
  const instances = ec2.instances();
  return {
    nodes: instances.length,
    calls: ec2.apiCalls().get("RunInstances") ?? 0,
    pools: 1,
    seconds: (Math.max(...instances.map(({ launchedAt }) => launchedAt)) - startAt) / 1_000,
  };
}

function singleRequest(index: number) {
  return {
    clientToken: `single-${index}`,
    minCount: 1 as const,
    maxCount: 1,
    instanceType: "m5.large",
    imageId: "ami-1",
    subnetId: "subnet-us-east-1a",
    securityGroupIds: ["sg-1"],
    capacityType: "on-demand" as const,
    instanceProfile: "node",
    userData: "",
    metadataOptions: { httpEndpoint: "enabled" as const, httpPutResponseHopLimit: 1, httpTokens: "required" as const },
    blockDeviceMappings: [],
    tags: {},
  };
}

const classManifest = {
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "default" },
  spec: {
    role: "node",
    subnetSelectorTerms: [{ id: "subnet-0123456789abcdef0" }],
    securityGroupSelectorTerms: [{ id: "sg-0123456789abcdef0" }],
    amiSelectorTerms: [{ alias: "al2023@latest" }],
  },
};

/** On-demand nodes are all alike; spot nodes have four types in three zones to be spread over. */
function poolManifest(market: Market) {
  const types = market === "spot" ? ["m5.large", "m6i.large", "m5a.large", "c5.large"] : ["m5.large"];
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          requirements: [
            { key: label.capacityType, operator: "In", values: [market] },
            { key: label.instanceType, operator: "In", values: types },
            { key: label.zone, operator: "In", values: ["us-east-1a", "us-east-1b", "us-east-1c"] },
          ],
        },
      },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "Never" },
    },
  };
}
