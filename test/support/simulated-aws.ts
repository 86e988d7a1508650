import type { Catalog } from "../../shared/cloud/catalog.ts";
import type { RunInstancesRequest } from "../../shared/ports.ts";
import { SimulatedEc2, type SimulatedEc2Options } from "../../shared/simulator/ec2.ts";
import { EventBus } from "../../shared/simulator/event-bus.ts";
import { EventLoop } from "../../shared/simulator/event-loop.ts";
import { Queue, type QueueOptions } from "../../shared/simulator/queue.ts";
import { Random } from "../../shared/simulator/random.ts";

export const startAt = Date.UTC(2026, 10, 30, 12);
export const origin = { account: "123456789012", region: "us-east-1" } as const;

/** One zone's subnet each. */
const subnets: ReadonlyMap<string, string> = new Map([
  ["subnet-a", "us-east-1a"],
  ["subnet-a2", "us-east-1a"],
  ["subnet-b", "us-east-1b"],
]);

/** m5.large in zones a and b, for 0.1 USD on demand and 0.04 on spot; spot in zone a alone. */
const tinyCatalog: Catalog = {
  region: "us-east-1",
  zones: ["us-east-1a", "us-east-1b"],
  types: [],
  onDemandPrices: new Map([["m5.large", 0.1]]),
  spotPrices: new Map([["m5.large", new Map([["us-east-1a", 0.04]])]]),
  zonesByType: new Map([["m5.large", ["us-east-1a", "us-east-1b"]]]),
};

/** One on-demand m5.large in zone a. */
export function runRequest(changes: Partial<RunInstancesRequest> = {}): RunInstancesRequest {
  return {
    clientToken: "token-1",
    minCount: 1,
    maxCount: 1,
    instanceType: "m5.large",
    imageId: "ami-1",
    subnetId: "subnet-a",
    securityGroupIds: ["sg-1"],
    capacityType: "on-demand",
    instanceProfile: "node",
    userData: "",
    metadataOptions: {
      httpEndpoint: "enabled",
      httpProtocolIpv6: "disabled",
      httpPutResponseHopLimit: 1,
      httpTokens: "required",
    },
    blockDeviceMappings: [],
    tags: {},
    ...changes,
  };
}

export function virtualTime(seed = 1) {
  const loop = new EventLoop(startAt);
  const random = new Random(seed);
  return {
    loop,
    random,
    queue: (options: Partial<QueueOptions> = {}) => new Queue({ name: "queue", ...options }, loop, random),
    bus: () => new EventBus("default", loop, random, origin),
    /** The outcome of work that waits in virtual time. */
    settle: <T>(work: Promise<T>) => loop.runUntilSettled(work, loop.now() + 600_000),
    advance: (milliseconds: number) => loop.runUntil(loop.now() + milliseconds),
  };
}

/** EC2 over {@link tinyCatalog}, whose events land in `events`. */
export function simulatedEc2(machines: SimulatedEc2Options["machines"] = {}, seed = 1) {
  const time = virtualTime(seed);
  const defaultBus = time.bus();
  const events = time.queue({ name: "events" });
  defaultBus.putRule({ name: "all", pattern: { source: [{ prefix: "aws." }] }, target: events });
  const { loop, random } = time;
  const ec2 = new SimulatedEc2({
    loop,
    random,
    catalog: tinyCatalog,
    account: origin.account,
    subnets,
    defaultBus,
    machines,
  });
  return { ...time, ec2, events };
}
