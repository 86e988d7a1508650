import type { NodeClassPorts } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { annotation, awsGroup, label, ownGroup } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import { shortHash } from "../api/short-hash.ts";
import { stableJson } from "../api/stable-json.ts";
import { resolveAmiFamily } from "../cloud/ami-family.ts";
import type { Catalog } from "../cloud/catalog.ts";
import { classifyEc2Error } from "../cloud/ec2-errors.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import { instanceTypesFor } from "../cloud/instance-types.ts";
import { clientToken } from "../cloud/launch-record.ts";
import type { LaunchAttempt, LaunchProblem } from "../cloud/launch-situation.ts";
import { launchTarget, runInstancesRequest } from "../cloud/run-instances.ts";
import { kubeletObstacle } from "../cloud/user-data/kubelet-support.ts";
import { type ClusterEndpoint, ProviderError, type RunInstancesRequest } from "../ports.ts";
import { firstConflict, requirementsOf } from "../scheduling/requirements.ts";
import { isTrue } from "../state/conditions.ts";
import { unmetDependencies } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import { takeDryRun } from "./dry-run-budget.ts";
import type { ClassMemory } from "./node-class-memory.ts";

/** What a class's `ValidationSucceeded` says, and what is to be remembered of how it was found. */
export interface Validated {
  readonly condition: {
    readonly status: "True" | "False" | "Unknown";
    readonly reason: string;
    readonly message?: string;
  };
  readonly memory?: ClassMemory["validation"];
  /** EC2 does not know the instance profile: what is remembered of it is not to be trusted. */
  readonly isProfileUnknown?: true;
}

interface ValidatedClass {
  /** With its status as it is now. */
  readonly nodeClass: EC2NodeClass;
  readonly nodePools: readonly NodePool[];
  readonly catalog: Catalog;
  readonly known: ClassMemory["validation"];
  /** Runs tries one class after another: side by side each would take of the few requests, and none might have enough. */
  readonly inTurn: <T>(tries: () => Promise<T>) => Promise<T>;
}

const allowedForMilliseconds = 30 * 60_000;
/** A person who has mended what EC2 refused does not wait for long. */
const refusedForMilliseconds = 5 * 60_000;

/**
 * Whether a node of the class could be launched: its kubelet settings and user data, then RunInstances, which is only tried, in one subnet
 * after another until EC2 would carry it out (karpenter-aws §1.5). The outcome is good for a while, as long as nothing changes that it
 * depends on.
 */
export async function validate(
  ports: NodeClassPorts,
  settings: Settings,
  task: ValidatedClass,
): Promise<Validated | undefined> {
  const { nodeClass, known } = task;
  const { failed, unknown } = unmetDependencies(nodeClass);
  if (failed.length + unknown.length > 0) {
    const status = failed.length > 0 ? "False" : "Unknown";
    return {
      condition: { status, reason: "DependenciesNotReady", message: `waits for ${[...failed, ...unknown].join(", ")}` },
    };
  }
  const now = ports.clock.now();
  const hash = hashOf(nodeClass, settings);
  const keptFor = known?.status === "True" ? allowedForMilliseconds : refusedForMilliseconds;
  // By the absolute value: a clock that was ahead must not keep it for good.
  if (known?.hash === hash && Math.abs(now - known.checkedAt) < keptFor) return remembered(known);
  const outcome = await outcomeNow(ports, settings, task);
  if (outcome === "postponed") return postponed(task, hash);
  return "condition" in outcome ? outcome : remembered({ hash, checkedAt: now, ...outcome });
}

type Outcome = Pick<NonNullable<ClassMemory["validation"]>, "status" | "reason" | "message">;

const passed: Outcome = { status: "True", reason: "ValidationSucceeded", message: "" };

function failure(reason: string, message: string): Outcome {
  return { status: "False", reason, message };
}

/** Not to be remembered where it has a condition. */
async function outcomeNow(
  ports: NodeClassPorts,
  settings: Settings,
  task: ValidatedClass,
): Promise<Outcome | Validated | "postponed"> {
  const { nodeClass } = task;
  const obstacle = kubeletObstacle(resolveAmiFamily(nodeClass), nodeClass.spec.kubelet);
  if (obstacle !== undefined) return failure(...obstacle);
  const cluster = await describeCluster(ports, nodeClass);
  if ("condition" in cluster) return cluster;
  const attempted = requestsFor(cluster, settings, task);
  const requests = attempted.flatMap((one) => (one.kind === "request" ? [one.request] : []));
  if (requests.length > 0) {
    return settings.dryRunNodeClasses ? await task.inTurn(() => tryRequests(ports, settings, requests)) : passed;
  }
  const problem = attempted.find((one) => one.kind === "problem");
  return problem === undefined
    ? failure("NoInstanceType", "no instance type suits its images and subnets")
    : failure(problem.reason, problem.message);
}

async function describeCluster(ports: NodeClassPorts, nodeClass: EC2NodeClass): Promise<ClusterEndpoint | Validated> {
  try {
    return await ports.cluster.describe();
  } catch (error) {
    // What was found valid before stays so: the next pass asks again.
    if (!(error instanceof ProviderError) || isTrue(nodeClass, "ValidationSucceeded")) throw error;
    return { condition: { status: "Unknown", reason: "ClusterCIDRResolutionFailed", message: error.message } };
  }
}

/**
 * Launches need EC2's requests now: what was found before stays so, and the next pass tries. A class that was never tried says what it
 * waits for.
 */
function postponed({ nodeClass, known }: ValidatedClass, hash: string): Validated | undefined {
  if (known?.hash === hash) return remembered(known);
  if (isTrue(nodeClass, "ValidationSucceeded")) return undefined;
  const message = "waits for requests to EC2 that launches do not need";
  return { condition: { status: "Unknown", reason: "AwaitingRequests", message } };
}

/** No more can be sure to be had in one pass: a class that is refused so often is not put off again. */
const mostTriesAtOnce = 3;

/** Until EC2 would carry one out. What it has no room for is no fault of the class. */
async function tryRequests(
  ports: NodeClassPorts,
  settings: Settings,
  requests: readonly RunInstancesRequest[],
): Promise<Outcome | Validated | "postponed"> {
  let refused: Outcome | undefined;
  let isExcused = false;
  for (const [tried, request] of requests.entries()) {
    if (!(await takeDryRun(ports, settings))) {
      if (isExcused) return passed;
      return tried < mostTriesAtOnce || refused === undefined ? "postponed" : refused;
    }
    try {
      const answer = await ports.nodeClass.dryRun(request);
      if (answer.kind === "allowed") return passed;
      const { effect, reason } = classifyEc2Error(answer.code, answer.message);
      if (effect !== "stop-pool") {
        isExcused = true;
        continue;
      }
      refused = failure(reasonOf(answer.code, reason), `${answer.code}: ${answer.message}`);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const { code, message } = error;
      if (classifyEc2Error(code, message).reason !== "InstanceProfileNameInvalid") throw error;
      // As for some seconds after it was made (field-scenarios B3.16).
      return { condition: { status: "Unknown", reason: "InstanceProfileNotFound", message }, isProfileUnknown: true };
    }
  }
  return refused ?? passed;
}

/** As Karpenter calls it (karpenter-aws §1.5), where that is not what a launch calls it. */
function reasonOf(code: string, reason: string): string {
  if (code === "TagPolicyViolation") return "TagValidationFailed";
  return reason === "Unauthorized" ? "RunInstancesAuthCheckFailed" : reason;
}

function remembered(memory: NonNullable<ClassMemory["validation"]>): Validated {
  const { status, reason, message } = memory;
  return { condition: { status, reason, message }, memory };
}

/**
 * Of the status, the spec and the annotations that are not ours: touching one makes the check be made again, as with Karpenter. The order
 * of subnets, which is that of their free addresses, and the places left in reservations say nothing of the class.
 */
function hashOf({ metadata, spec, status }: EC2NodeClass, { dryRunNodeClasses }: Settings): string {
  const { subnets = [], securityGroups, amis, instanceProfile } = status ?? {};
  const isOwn = (key: string) => key.startsWith(`${ownGroup}/`) || key.startsWith(`${awsGroup}/ec2nodeclass-hash`);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !isOwn(key));
  const found = [subnets.map(({ id }) => id).sort(), securityGroups, amis, instanceProfile];
  const group = metadata.annotations?.[annotation.placementGroup];
  return shortHash(stableJson([found, spec, Object.fromEntries(annotations), group, dryRunNodeClasses]), 20);
}

type Attempted = { readonly kind: "request"; readonly request: RunInstancesRequest } | LaunchProblem;

/** A request for a plausible type in each zone that the class has a subnet in, those first that sell it. */
function requestsFor(
  cluster: ClusterEndpoint,
  settings: Settings,
  { nodeClass, nodePools, catalog }: ValidatedClass,
): readonly Attempted[] {
  const { vmMemoryOverheadPercent, reservedEnis } = settings;
  const options = { vmMemoryOverheadPercent, reservedEnis, unavailable: [], now: 0 };
  const types = instanceTypesFor(catalog, nodeClass, options);
  const pools = nodePools.filter(({ spec }) => spec.template.spec.nodeClassRef.name === nodeClass.metadata.name);
  const instanceType = plausibleType(types, pools);
  if (instanceType === undefined) return [];
  const selling = new Set(instanceType.offerings.filter(({ available }) => available).map(({ zone }) => zone));
  const zones = [...new Set((nodeClass.status?.subnets ?? []).map(({ zone }) => zone))];
  const instanceTypes = new Map([[instanceType.name, instanceType]]);
  const nodeClaim = plausibleClaim(nodeClass, pools[0]);
  return zones
    .toSorted((a, b) => Number(selling.has(b)) - Number(selling.has(a)))
    .map((zone): Attempted => {
      const target = launchTarget(nodeClass, instanceType, zone, new Set());
      if (target.kind === "problem") return target;
      const attempt = attemptOf(settings, instanceType.name, zone, target);
      return runInstancesRequest({ cluster, nodeClaim, nodeClass, instanceTypes }, attempt);
    });
}

/** The cheapest that a NodePool of the class admits; without one the first of the usual ones, then the cheapest of all. */
function plausibleType(types: readonly InstanceType[], pools: readonly NodePool[]): InstanceType | undefined {
  const sold = types.filter(({ offerings }) =>
    offerings.some(({ available, capacityType }) => available && capacityType === "on-demand"),
  );
  const wanted = pools.map(({ spec }) => requirementsOf(spec.template.spec.requirements));
  const admitted = sold.filter((type) => wanted.some((pool) => firstConflict(pool, type.requirements) === undefined));
  const usual = usualTypes.flatMap((usualName) => sold.find(({ name }) => name === usualName) ?? []);
  return cheapestOf(admitted) ?? usual[0] ?? cheapestOf(sold);
}

const usualTypes = ["m5.large", "m6g.large"] as const;

function cheapestOf(types: readonly InstanceType[]): InstanceType | undefined {
  const priceOf = ({ offerings }: InstanceType) =>
    Math.min(...offerings.filter(({ available }) => available).map(({ priceUsdPerHour }) => priceUsdPerHour));
  return types.toSorted((a, b) => priceOf(a) - priceOf(b) || (a.name < b.name ? -1 : 1))[0];
}

function plausibleClaim({ metadata }: EC2NodeClass, pool: NodePool | undefined): NodeClaim {
  const {
    nodeClassRef,
    taints = [],
    startupTaints = [],
  } = pool?.spec.template.spec ?? {
    nodeClassRef: { group: awsGroup, kind: "EC2NodeClass", name: metadata.name },
  };
  const labels = { [label.nodePool]: pool?.metadata.name ?? "validation", [label.nodeClass]: metadata.name };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name: "validation", labels },
    spec: {
      nodeClassRef,
      requirements: [],
      taints: [...taints],
      startupTaints: [...startupTaints],
      expireAfter: "Never",
    },
  };
}

function attemptOf(
  { clusterName }: Settings,
  instanceType: string,
  zone: string,
  { subnetId, imageId }: { readonly subnetId: string; readonly imageId: string },
): LaunchAttempt {
  return {
    version: 1,
    role: "leader",
    group: "validation",
    members: ["validation"],
    attempt: 1,
    instanceType,
    zone,
    subnetId,
    capacityType: "on-demand",
    imageId,
    count: 1,
    clientToken: clientToken(clusterName, "validation", subnetId, 1),
    state: "sent",
    startedAt: 0,
    sentAt: 0,
  };
}
