import type { Ec2CapacityReservation, SecurityGroup, Subnet } from "../account-ports.ts";
import type { CapacityReservation, EC2NodeClass } from "../api/ec2-node-class.ts";
import type { Condition } from "../api/schema.ts";
import { stableJson } from "../api/stable-json.ts";
import { formatTime } from "../api/time.ts";
import type { ConditionChange } from "./condition-changes.ts";
import { conditionOf } from "./conditions.ts";

/** What a look at the account for one part of a class came to. */
export type Finding<T> =
  | { readonly kind: "found"; readonly value: T }
  /** Not there, or not as the class needs it: told on the class, and looked for again. */
  | { readonly kind: "missing"; readonly reason: string; readonly message: string }
  /** The look failed and says nothing: what is known stays. With a `reason` the class is not ready because of it. */
  | { readonly kind: "unread"; readonly reason?: string; readonly message: string };

type Status = NonNullable<EC2NodeClass["status"]>;

/** What a class's status is made of. */
export interface NodeClassFindings {
  readonly subnets: Finding<readonly Subnet[]>;
  readonly securityGroups: Finding<readonly SecurityGroup[]>;
  readonly amis: Finding<NonNullable<Status["amis"]>>;
  readonly capacityReservations: Finding<readonly Ec2CapacityReservation[]>;
  readonly placementGroup: Finding<unknown>;
  /** The profile's name. */
  readonly instanceProfile: Finding<string>;
}

/** The conditions that a class is ready by, but for validation, in the order in which they are reconciled (karpenter-aws §1.5). */
const dependencies = [
  ["amis", "AMIsReady"],
  ["capacityReservations", "CapacityReservationsReady"],
  ["placementGroup", "PlacementGroupReady"],
  ["subnets", "SubnetsReady"],
  ["securityGroups", "SecurityGroupsReady"],
  ["instanceProfile", "InstanceProfileReady"],
] as const satisfies readonly (readonly [keyof NodeClassFindings, string])[];
const dependencyTypes = dependencies.map(([, type]) => type);

/** The class with its status as the findings make it: all but validation, which looks at the result. */
export function withFindings(nodeClass: EC2NodeClass, findings: NodeClassFindings, now: number): EC2NodeClass {
  const status: Status = {
    ...nodeClass.status,
    ...listed("subnets", findings.subnets, (found) => found.toSorted(bySpareAddresses).map(statusSubnet)),
    ...listed("securityGroups", findings.securityGroups, (found) =>
      found.toSorted(byId).map(({ id, name }) => ({ id, name })),
    ),
    ...listed("amis", findings.amis, (found) => found),
    ...listed("capacityReservations", findings.capacityReservations, (found) =>
      found.toSorted(byId).flatMap((reservation) => statusReservation(reservation, now)),
    ),
    ...(findings.instanceProfile.kind === "found" && { instanceProfile: findings.instanceProfile.value }),
  };
  const changes = dependencies.flatMap(([part, type]) => conditionFor(nodeClass, type, findings[part]) ?? []);
  return withConditionsOf({ ...nodeClass, status }, changes, now);
}

/** The class with the outcome of its validation, and ready or not. */
export function withValidation(
  nodeClass: EC2NodeClass,
  validation: Omit<ConditionChange, "type"> | undefined,
  now: number,
): EC2NodeClass {
  const validated = withConditionsOf(
    nodeClass,
    validation === undefined ? [] : [{ type: validationType, ...validation }],
    now,
  );
  return withConditionsOf(validated, [readiness(validated)], now);
}

const validationType = "ValidationSucceeded";

/** Dependencies that are False, and those that are neither False nor True. */
export function unmetDependencies(nodeClass: EC2NodeClass): {
  readonly failed: readonly string[];
  readonly unknown: readonly string[];
} {
  const statusOf = (type: string) => currentCondition(nodeClass, type)?.status ?? "Unknown";
  return {
    failed: dependencyTypes.filter((type) => statusOf(type) === "False"),
    unknown: dependencyTypes.filter((type) => statusOf(type) === "Unknown"),
  };
}

/** The merge patch from one status to the other; undefined where nothing changes. */
export function nodeClassStatusPatch(
  before: EC2NodeClass,
  after: EC2NodeClass,
): { readonly status: object } | undefined {
  const [old, wanted] = [before.status ?? {}, after.status ?? {}];
  if (stableJson(old) === stableJson(wanted)) return undefined;
  const gone = Object.keys(old).filter((key) => !(key in wanted));
  return { status: { ...wanted, ...Object.fromEntries(gone.map((key) => [key, null])) } };
}

/** Nothing is listed of what is missing. */
function listed<Key extends keyof Status, T>(
  key: Key,
  finding: Finding<T>,
  toStatus: (value: T) => NonNullable<Status[Key]>,
): Partial<Status> {
  if (finding.kind === "unread") return {};
  return { [key]: finding.kind === "found" ? toStatus(finding.value) : [] };
}

function conditionFor(nodeClass: EC2NodeClass, type: string, finding: Finding<unknown>): ConditionChange | undefined {
  if (finding.kind === "found") return { type, status: "True", reason: type };
  const { reason, message } = finding;
  if (reason !== undefined) return { type, status: "False", reason, message };
  if (currentCondition(nodeClass, type) !== undefined) return undefined;
  return { type, status: "Unknown", reason: "AwaitingReconciliation", message };
}

/** One that was found for the class as it is: what holds for an older generation says nothing of this one. */
function currentCondition(nodeClass: EC2NodeClass, type: string): Condition | undefined {
  const condition = conditionOf(nodeClass, type);
  const { generation } = nodeClass.metadata;
  const isOfBefore = condition?.observedGeneration !== undefined && condition.observedGeneration !== generation;
  return isOfBefore || condition?.status === "Unknown" ? undefined : condition;
}

function readiness(nodeClass: EC2NodeClass): ConditionChange {
  const types = [...dependencyTypes, validationType];
  const unmet = types.flatMap((type) => {
    const { status = "Unknown" } = currentCondition(nodeClass, type) ?? {};
    const message = conditionOf(nodeClass, type)?.message;
    return status === "True" ? [] : [{ status, text: `${type}=${status}${message ? `: ${message}` : ""}` }];
  });
  if (unmet.length === 0) return { type: "Ready", status: "True", reason: "Ready" };
  const isFailed = unmet.some(({ status }) => status === "False");
  return {
    type: "Ready",
    status: isFailed ? "False" : "Unknown",
    reason: isFailed ? "UnhealthyDependents" : "ReconcilingDependents",
    message: unmet.map(({ text }) => text).join("; "),
  };
}

/** Each change with the generation that it was made for; the transition time moves only with the status. */
function withConditionsOf(nodeClass: EC2NodeClass, changes: readonly ConditionChange[], now: number): EC2NodeClass {
  if (changes.length === 0) return nodeClass;
  const { generation } = nodeClass.metadata;
  const changed = new Map(changes.map((change) => [change.type, change]));
  const toCondition = (change: ConditionChange): Condition => {
    const current = conditionOf(nodeClass, change.type);
    const unmoved = current?.status === change.status ? current.lastTransitionTime : undefined;
    return {
      message: "",
      ...change,
      lastTransitionTime: unmoved ?? formatTime(now),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  };
  const before = nodeClass.status?.conditions ?? [];
  const known = new Set(before.map(({ type }) => type));
  const conditions = [
    ...before.map((condition) => {
      const change = changed.get(condition.type);
      return change === undefined ? condition : toCondition(change);
    }),
    ...changes.filter(({ type }) => !known.has(type)).map(toCondition),
  ];
  return { ...nodeClass, status: { ...nodeClass.status, conditions } };
}

function statusSubnet({ id, zone, zoneId }: Subnet) {
  return { id, zone, ...(zoneId !== "" && { zoneID: zoneId }) };
}

/** EC2 ends instances of a block from half an hour before its end: nothing is launched in its last 40 minutes. */
const blockExpiringMilliseconds = 40 * 60_000;

function statusReservation(reservation: Ec2CapacityReservation, now: number): readonly CapacityReservation[] {
  const { endsAt, reservationType, instanceMatchCriteria, interruptible } = reservation;
  if (endsAt !== undefined && endsAt <= now) return [];
  if (instanceMatchCriteria !== "open" && instanceMatchCriteria !== "targeted") return [];
  const isExpiring =
    reservationType === "capacity-block" && endsAt !== undefined && endsAt - now <= blockExpiringMilliseconds;
  return [
    {
      id: reservation.id,
      instanceType: reservation.instanceType,
      availabilityZone: reservation.zone,
      ownerID: reservation.ownerId,
      instanceMatchCriteria,
      reservationType,
      interruptible,
      state: isExpiring ? "expiring" : "active",
      ...(endsAt !== undefined && { endTime: formatTime(endsAt) }),
    },
  ];
}

function bySpareAddresses(a: Subnet, b: Subnet): number {
  return b.availableIpAddressCount - a.availableIpAddressCount || byId(a, b);
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
