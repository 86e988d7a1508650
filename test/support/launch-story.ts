import { annotation, label } from "../../shared/api/labels.ts";
import { nodePool } from "../../shared/api/node-pool.ts";
import { ec2ErrorTable, stateReasonTable } from "../../shared/cloud/ec2-error-table.ts";
import { parseLaunchRecord } from "../../shared/cloud/launch-record.ts";
import { parseUnavailable, unavailability } from "../../shared/cloud/unavailable-offerings.ts";
import type { RunInstancesRequest } from "../../shared/ports.ts";
import type { DeliveryFaults } from "../../shared/simulator/delivery.ts";
import { startInvariants } from "../../shared/simulator/invariants/all.ts";
import type { PortCall } from "../../shared/simulator/invocation.ts";
import { Random } from "../../shared/simulator/random.ts";
import { SimulatedWorld } from "../../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { deploymentNamed } from "./cluster-objects.ts";
import { startAt } from "./controller-world.ts";
import { nodeClass } from "./node-classes.ts";
import { purge } from "./reliability-run.ts";
import { apply, restlessness, secondsToRest } from "./whole-stack.ts";

/** What became of one launch among faults. */
export interface LaunchStory {
  readonly claims: number;
  /** A line each; none when all promises were kept. */
  readonly wrong: readonly string[];
  /** Where the planner crashed, such as `after ec2.runInstances`. */
  readonly crashes: readonly string[];
  readonly errors: readonly string[];
  readonly secondsToRest: number;
}

const codes = ec2ErrorTable.flatMap(({ codes: own }) => own.filter((code) => !code.endsWith("*")));
const stateReasons = stateReasonTable.flatMap(({ codes: own }) => own);
/** Long enough for the breaker's rests and for claims that come too late. */
const longestSeconds = 3_600;

/**
 * 1 to 50 claims are launched, and nothing goes right: the planner crashes at some of its calls, messages come twice and out of order,
 * EC2 has little room, refuses with errors of the table, loses answers, and hides what it has launched. Whatever that leaves lying must
 * be mended once it is over.
 */
export async function tellLaunchStory(
  seed: number,
  plant: (world: SimulatedWorld) => void = () => {},
): Promise<LaunchStory> {
  const random = new Random(seed).fork("story");
  const claims = random.integer(1, 50);
  const crashes: string[] = [];
  const crashAt = crashPlanOf(random.fork("crashes"), claims);
  const world = new SimulatedWorld({
    seed,
    settings: defaultSettings,
    startAt,
    crashPlan: (_index, call, name) => {
      const isHere = name === "provisioning" && crashAt(call);
      if (isHere) crashes.push(nameOf(call));
      return isHere;
    },
  });
  const errors = plantFaults(world, random.fork("faults"));
  plant(world);
  const misdeeds = watchLaunches(world);
  const invariants = startInvariants(world);
  eachSecond(world, () => invariants.check());
  apply(world, [nodeClass(), pool(), deploymentNamed("web", { replicas: claims, cpu: "1200m" })]);
  const rest = { pods: claims, claims };
  const seconds = await secondsToRest(world, rest, longestSeconds);
  // What was launched at the end is collected, or found to be one too many, within two sweeps.
  await world.loop.runUntil(world.loop.now() + 150_000);
  for (const queue of world.messaging.deadLetters) purge(queue);
  invariants.atEnd();
  const broken = invariants.verdicts().flatMap(({ name, holds, detail }) => (holds ? [] : [`${name}: ${detail}`]));
  const wrong = [...misdeeds(), ...restlessness(world, rest), ...broken];
  return { claims, wrong, crashes, errors, secondsToRest: seconds };
}

/** Calls of the planner that EC2 or the API server might see, named by what they do. */
function nameOf({ phase, name, args: [kind] }: PortCall): string {
  return typeof kind === "string" ? `${phase} ${name} ${kind}` : `${phase} ${name}`;
}

/** One to three crashes, each at a call by chance: of EC2, of those that change something, or of all. */
function crashPlanOf(random: Random, claims: number): (call: PortCall) => boolean {
  const points = Array.from({ length: random.integer(1, 3) }, () => {
    const among = random.pick(["ec2", "writes", "writes", "all"] as const);
    return { among, left: random.integer(0, among === "ec2" ? 4 : 20 + 4 * claims) };
  });
  return (call) => {
    const [point] = points;
    if (point === undefined || !isAmong(call, point.among)) return false;
    point.left -= 1;
    if (point.left >= 0) return false;
    points.shift();
    return true;
  };
}

function isAmong({ name }: PortCall, among: "ec2" | "writes" | "all"): boolean {
  if (among === "ec2") return name.startsWith("ec2.");
  return among === "all" || !/\.(list|get|describe\w*)$/.test(name);
}

function plantFaults(world: SimulatedWorld, random: Random): readonly string[] {
  const delivery: DeliveryFaults = {
    loseChance: 0.05,
    duplicateChance: 0.4,
    delayChance: 0.4,
    maxExtraDelayMilliseconds: 10_000,
  };
  for (const bus of [world.messaging.clusterBus, world.messaging.defaultBus]) bus.faults = delivery;
  for (const queue of Object.values(world.messaging.queues)) {
    if (!queue.fifo) queue.faults = { duplicateChance: 0.4, reorderChance: 0.4 };
  }
  const { faults } = world.ec2;
  if (random.chance(0.5)) faults.setLatency("RunInstances", [5, 40]);
  const errors = Array.from({ length: random.integer(0, 4) }, () => random.pick([...codes, "BrandNewError"]));
  for (const code of errors) faults.failNext("RunInstances", code);
  if (random.chance(0.4)) faults.loseAnswers("RunInstances", random.integer(1, 2));
  if (random.chance(0.3)) faults.hideLaunches(random.integer(2_000, 40_000));
  if (random.chance(0.2)) faults.failLaunchesLater(random.pick(stateReasons), random.integer(1, 3));
  for (const capacityType of ["spot", "on-demand"] as const) {
    for (const zone of ["us-east-1a", "us-east-1b"]) {
      if (random.chance(0.5)) world.ec2.setCapacity({ capacityType, zone }, random.integer(0, 8));
    }
  }
  return errors;
}

/**
 * Looks at each request as EC2 gets it: a new token (a replay is no new try) for an offering that the cluster knows to be unavailable,
 * and calls that overdraw EC2's buckets.
 */
function watchLaunches(world: SimulatedWorld): () => readonly string[] {
  const { ec2 } = world;
  const tried = new Set<string>();
  const misdeeds: string[] = [];
  const launch = ec2.runInstances.bind(ec2);
  ec2.runInstances = (request: RunInstancesRequest) => {
    const { instanceType, subnetId, capacityType, clientToken } = request;
    if (!tried.has(clientToken) && !isReplay(world, clientToken)) {
      const zone = subnetId.replace("subnet-", "");
      const mark = unavailability(instanceType, { zone, capacityType }, marksOf(world), world.loop.now());
      if (mark !== undefined) misdeeds.push(`${instanceType} ${zone} ${capacityType} was tried while ${mark.code}`);
    }
    tried.add(clientToken);
    return launch(request).catch((error: unknown) => {
      const text = String(error);
      if (text.includes("Request limit exceeded. (RunInstances")) misdeeds.push(`a bucket is overdrawn: ${text}`);
      throw error;
    });
  };
  return () => misdeeds;
}

/**
 * A request that was written down and perhaps never sent, because its pass crashed: nobody knows, and to send it again is the way to a
 * definite answer, whatever has been marked meanwhile.
 */
function isReplay({ cluster, loop }: SimulatedWorld, clientToken: string): boolean {
  const records = cluster.server.list("NodeClaim").flatMap(({ metadata }) => {
    const parsed = parseLaunchRecord(metadata.annotations?.[annotation.launch]);
    return parsed.kind === "record" && parsed.record.role === "leader" ? [parsed.record] : [];
  });
  const record = records.find((one) => one.clientToken === clientToken);
  return record !== undefined && loop.now() - record.startedAt > longestSendMilliseconds;
}

/** From a record to its request, within one pass; the next pass comes a minute after a crash. */
const longestSendMilliseconds = 10_000;

function marksOf({ cluster, settings }: SimulatedWorld) {
  const reference = { name: "journeyman-unavailable-offerings", namespace: settings.namespace };
  const { data = {} } = cluster.server.get("ConfigMap", reference) ?? {};
  return Object.entries(data).flatMap(([key, value]) => parseUnavailable(key, value) ?? []);
}

function eachSecond({ loop }: Pick<SimulatedWorld, "loop">, work: () => void): void {
  loop.schedule(1_000, "invariants", () => {
    work();
    eachSecond({ loop }, work);
  });
}

function pool() {
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  const requirements = [
    { key: label.capacityType, operator: "In", values: ["spot", "on-demand"] },
    { key: label.instanceType, operator: "In", values: ["m5.large", "m6i.large", "m5a.large", "c5.large"] },
  ];
  return nodePool.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: { spec: { nodeClassRef, requirements } },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "Never" },
    },
  });
}
