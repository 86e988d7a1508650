import type { NodeClassPorts } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { awsGroup, label, ownGroup } from "../api/labels.ts";
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
import type { RunInstancesRequest } from "../ports.ts";
import { firstConflict, requirementsOf } from "../scheduling/requirements.ts";
import { unmetDependencies } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import type { ClassMemory } from "./node-class-memory.ts";

/** What a class's `ValidationSucceeded` says, and what is to be remembered of how it was found. */
export interface Validated {
  readonly condition: {
    readonly status: "True" | "False" | "Unknown";
    readonly reason: string;
    readonly message?: string;
  };
  readonly memory?: ClassMemory["validation"];
}

interface ValidatedClass {
  /** With its status as it is now. */
  readonly nodeClass: EC2NodeClass;
  readonly nodePools: readonly NodePool[];
  readonly catalog: Catalog;
  readonly known: ClassMemory["validation"];
}

const checkedForMilliseconds = 30 * 60_000;

/**
 * Whether a node of the class could be launched: its kubelet settings and user data, then RunInstances, which is only tried, in one subnet
 * after another until EC2 would carry it out (karpenter-aws §1.5). The outcome is good for half an hour, as long as nothing changes that
 * it depends on.
 */
export async function validate(ports: NodeClassPorts, settings: Settings, task: ValidatedClass): Promise<Validated> {
  const { nodeClass, known } = task;
  const { failed, unknown } = unmetDependencies(nodeClass);
  if (failed.length + unknown.length > 0) {
    const status = failed.length > 0 ? "False" : "Unknown";
    return {
      condition: { status, reason: "DependenciesNotReady", message: `waits for ${[...failed, ...unknown].join(", ")}` },
    };
  }
  const now = ports.clock.now();
  const hash = hashOf(nodeClass);
  if (known?.hash === hash && now - known.checkedAt < checkedForMilliseconds) return remembered(known);
  const obstacle = kubeletObstacle(resolveAmiFamily(nodeClass), nodeClass.spec.kubelet);
  if (obstacle !== undefined) return remembered(outcome("False", ...obstacle));
  const [first, ...others] = requestsFor(await ports.cluster.describe(), settings, task);
  if (first === undefined)
    return remembered(outcome("False", "NoInstanceType", "no instance type suits its images and subnets"));
  if (first.kind === "problem") return remembered(outcome("False", first.reason, first.message));
  if (!settings.dryRunNodeClasses) return remembered(outcome("True", "ValidationSucceeded", ""));
  let refusal = outcome("False", "RunInstancesAuthCheckFailed", "");
  for (const one of [first, ...others]) {
    if (one.kind === "problem") continue;
    const answer = await ports.nodeClass.dryRun(one.request);
    if (answer.kind === "allowed") return remembered(outcome("True", "ValidationSucceeded", ""));
    const { reason } = classifyEc2Error(answer.code, answer.message);
    refusal = outcome(
      "False",
      reason === "Unauthorized" ? "RunInstancesAuthCheckFailed" : reason,
      `${answer.code}: ${answer.message}`,
    );
  }
  return remembered(refusal);

  function outcome(status: "True" | "False", reason: string, message: string) {
    return { hash, checkedAt: now, status, reason, message };
  }
}

function remembered(memory: NonNullable<ClassMemory["validation"]>): Validated {
  const { status, reason, message } = memory;
  return { condition: { status, reason, message }, memory };
}

/** Of the status, the spec and the annotations that are not ours: touching one makes the check be made again, as with Karpenter. */
function hashOf({ metadata, spec, status }: EC2NodeClass): string {
  const { conditions: _, capacityReservations: _reservations, ...found } = status ?? {};
  const isOwn = (key: string) => key.startsWith(`${ownGroup}/`) || key.startsWith(`${awsGroup}/ec2nodeclass-hash`);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !isOwn(key));
  return shortHash(stableJson([found, spec, Object.fromEntries(annotations)]), 20);
}

type Attempted = { readonly kind: "request"; readonly request: RunInstancesRequest } | LaunchProblem;

/** A request for a plausible type in each zone that the class has a subnet in. */
function requestsFor(
  cluster: Parameters<typeof runInstancesRequest>[0]["cluster"],
  settings: Settings,
  { nodeClass, nodePools, catalog }: ValidatedClass,
): readonly Attempted[] {
  const { vmMemoryOverheadPercent, reservedEnis } = settings;
  const options = { vmMemoryOverheadPercent, reservedEnis, unavailable: [], now: 0 };
  const types = instanceTypesFor(catalog, nodeClass, options);
  const pools = nodePools.filter(({ spec }) => spec.template.spec.nodeClassRef.name === nodeClass.metadata.name);
  const instanceType = plausibleType(types, pools);
  if (instanceType === undefined) return [];
  const zones = [...new Set((nodeClass.status?.subnets ?? []).map(({ zone }) => zone))];
  const instanceTypes = new Map([[instanceType.name, instanceType]]);
  const nodeClaim = plausibleClaim(nodeClass, pools[0]);
  return zones.flatMap((zone): readonly Attempted[] => {
    const target = launchTarget(nodeClass, instanceType, zone, new Set());
    if (target.kind === "problem") return [target];
    const attempt = attemptOf(settings, instanceType.name, zone, target);
    return [runInstancesRequest({ cluster, nodeClaim, nodeClass, instanceTypes }, attempt)];
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
