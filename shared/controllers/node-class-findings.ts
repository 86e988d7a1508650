import type { Ec2CapacityReservation, NodeClassPorts, SecurityGroup, Subnet } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { ResolvedPlacementGroup } from "../cloud/placement-group.ts";
import { reservationQueries, securityGroupQueries, subnetQueries } from "../cloud/selector-queries.ts";
import { ProviderError } from "../ports.ts";
import type { Finding, NodeClassFindings } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { findImages, type ImagesFound } from "./node-class-images.ts";
import type { ClassMemory } from "./node-class-memory.ts";
import { findInstanceProfile } from "./node-class-profile.ts";

/** What a class selects now, with what is to be remembered of the look. */
export interface ClassLook {
  readonly findings: NodeClassFindings;
  readonly placementGroup: ResolvedPlacementGroup | undefined;
  readonly memory: Pick<
    ClassMemory,
    "subnetAddresses" | "subnetsReadAt" | "reservationPlaces" | "parameters" | "instanceProfile"
  >;
}

/** Looks all parts of a class up. One that cannot be read stops none of the others; its error is kept. */
export async function lookAtClass(
  ports: NodeClassPorts,
  settings: Settings,
  nodeClass: EC2NodeClass,
  memory: ClassMemory,
  errors: DeferredErrors,
): Promise<ClassLook> {
  const { spec } = nodeClass;
  const orUnread = <T>(look: () => Promise<Finding<T>>): Promise<Finding<T>> =>
    errors.duringOr(look, ({ message }) => ({ kind: "unread", message }));
  const { amis, parameters } = await errors.duringOr<ImagesFound>(
    () => findImages(ports, settings, nodeClass, memory.parameters),
    ({ message }) => ({ amis: { kind: "unread", message }, parameters: memory.parameters }),
  );
  const capacityReservations = await orUnread(() => findReservations(ports, spec));
  const placementGroup = await orUnread(() => resolvePlacementGroup(ports, spec));
  const subnets = await orUnread(() => findSubnets(ports, spec));
  const securityGroups = await orUnread(() => findSecurityGroups(ports, spec));
  const profile = await orUnread(() => findInstanceProfile(ports, settings, nodeClass, memory.instanceProfile));
  const instanceProfile = profile.kind === "found" ? { ...profile, value: profile.value.name } : profile;
  return {
    findings: {
      amis,
      capacityReservations,
      placementGroup,
      subnets,
      securityGroups,
      instanceProfile,
    },
    placementGroup: placementGroup.kind === "found" ? placementGroup.value : undefined,
    memory: {
      parameters,
      ...(subnets.kind === "unread"
        ? {
            subnetAddresses: memory.subnetAddresses,
            ...(memory.subnetsReadAt !== undefined && { subnetsReadAt: memory.subnetsReadAt }),
          }
        : { subnetAddresses: addressesIn(subnets), subnetsReadAt: ports.clock.now() }),
      reservationPlaces:
        capacityReservations.kind === "unread" ? memory.reservationPlaces : placesIn(capacityReservations),
      ...(profile.kind === "found" && profile.value.memory && { instanceProfile: profile.value.memory }),
    },
  };
}

async function findSubnets(
  { nodeClass }: NodeClassPorts,
  { subnetSelectorTerms }: EC2NodeClass["spec"],
): Promise<Finding<readonly Subnet[]>> {
  const found = await eachQuery(subnetQueries(subnetSelectorTerms), (filters) => nodeClass.subnets(filters));
  if (found.length > 0) return { kind: "found", value: found };
  return { kind: "missing", reason: "SubnetsNotFound", message: "subnetSelectorTerms found no subnet" };
}

async function findSecurityGroups(
  { nodeClass }: NodeClassPorts,
  { securityGroupSelectorTerms }: EC2NodeClass["spec"],
): Promise<Finding<readonly SecurityGroup[]>> {
  const queries = securityGroupQueries(securityGroupSelectorTerms);
  const found = await eachQuery(queries, (filters) => nodeClass.securityGroups(filters));
  if (found.length > 0) return { kind: "found", value: found };
  const message = "securityGroupSelectorTerms found no security group";
  return { kind: "missing", reason: "SecurityGroupsNotFound", message };
}

/** None is no fault: reservations come and go. */
async function findReservations(
  { nodeClass }: NodeClassPorts,
  { capacityReservationSelectorTerms = [] }: EC2NodeClass["spec"],
): Promise<Finding<readonly Ec2CapacityReservation[]>> {
  const queries = reservationQueries(capacityReservationSelectorTerms);
  return { kind: "found", value: await eachQuery(queries, (query) => nodeClass.capacityReservations(query)) };
}

/** Karpenter has a class that is not ready when the look fails. The error is told there and is no failure of the pass. */
async function resolvePlacementGroup(
  ports: NodeClassPorts,
  spec: EC2NodeClass["spec"],
): ReturnType<typeof findPlacementGroup> {
  try {
    return await findPlacementGroup(ports, spec);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { kind: "unread", reason: "PlacementGroupResolutionFailed", message: error.message };
  }
}

async function findPlacementGroup(
  { nodeClass }: NodeClassPorts,
  { placementGroupSelector: selector }: EC2NodeClass["spec"],
): Promise<Finding<ResolvedPlacementGroup | undefined>> {
  if (selector === undefined) return { kind: "found", value: undefined };
  const { id, name = "" } = selector;
  const value = await nodeClass.placementGroup(id === undefined ? { name } : { id });
  if (value !== undefined) return { kind: "found", value };
  const message = `there is no placement group of ${id === undefined ? `name ${name}` : `id ${id}`}`;
  return { kind: "missing", reason: "PlacementGroupNotFound", message };
}

/** What any of the queries finds, each once. */
async function eachQuery<Query, T extends { readonly id: string }>(
  queries: readonly Query[],
  ask: (query: Query) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found = new Map<string, T>();
  for (const query of queries) for (const one of await ask(query)) found.set(one.id, one);
  return [...found.values()];
}

function addressesIn(subnets: Finding<readonly Subnet[]>): Readonly<Record<string, number>> {
  const found = subnets.kind === "found" ? subnets.value : [];
  return Object.fromEntries(found.map(({ id, availableIpAddressCount }) => [id, availableIpAddressCount]));
}

function placesIn(reservations: Finding<readonly Ec2CapacityReservation[]>): Readonly<Record<string, number>> {
  const found = reservations.kind === "found" ? reservations.value : [];
  return Object.fromEntries(found.map(({ id, availableInstanceCount }) => [id, availableInstanceCount]));
}
