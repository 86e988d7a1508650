import type { Ec2CapacityReservation, NodeClassPorts, SecurityGroup, Subnet } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { ResolvedPlacementGroup } from "../cloud/placement-group.ts";
import { reservationQueries, securityGroupQueries, subnetQueries } from "../cloud/selector-queries.ts";
import { ProviderError } from "../ports.ts";
import type { Finding, NodeClassFindings } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import type { DeferredErrors } from "./deferred-errors.ts";
import { findImages } from "./node-class-images.ts";
import type { ClassMemory } from "./node-class-memory.ts";
import { findInstanceProfile } from "./node-class-profile.ts";

/** What a class selects now, with what is to be remembered of the look. */
export interface ClassLook {
  readonly findings: NodeClassFindings;
  readonly placementGroup: ResolvedPlacementGroup | undefined;
  readonly memory: Pick<ClassMemory, "subnetAddresses" | "subnetsReadAt" | "parameters" | "instanceProfile">;
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
  const orUnread = async <T>(look: () => Promise<Finding<T>>, reason?: string): Promise<Finding<T>> =>
    (await errors.during(() => told(look, reason))) ?? { kind: "unread" };
  const images = await errors.during(() => findImages(ports, settings, nodeClass, memory.parameters));
  const capacityReservations = await orUnread(() => findReservations(ports, spec));
  const placementGroup = await orUnread(() => findPlacementGroup(ports, spec), "PlacementGroupResolutionFailed");
  const subnets = await orUnread(() => findSubnets(ports, spec));
  const securityGroups = await orUnread(() => findSecurityGroups(ports, spec));
  const profile = await orUnread(() => findInstanceProfile(ports, settings, nodeClass, memory.instanceProfile));
  const instanceProfile = profile.kind === "found" ? { ...profile, value: profile.value.name } : profile;
  return {
    findings: {
      amis: images?.amis ?? { kind: "unread" },
      capacityReservations,
      placementGroup,
      subnets,
      securityGroups,
      instanceProfile,
    },
    placementGroup: placementGroup.kind === "found" ? placementGroup.value : undefined,
    memory: {
      parameters: images?.parameters ?? memory.parameters,
      ...(subnets.kind === "unread"
        ? {
            subnetAddresses: memory.subnetAddresses,
            ...(memory.subnetsReadAt !== undefined && { subnetsReadAt: memory.subnetsReadAt }),
          }
        : { subnetAddresses: addressesIn(subnets), subnetsReadAt: ports.clock.now() }),
      ...(profile.kind === "found" && profile.value.memory && { instanceProfile: profile.value.memory }),
    },
  };
}

/** Where the class is to say that a look failed, the error is told there and is no failure of the pass. */
async function told<T>(look: () => Promise<Finding<T>>, reason: string | undefined): Promise<Finding<T>> {
  try {
    return await look();
  } catch (error) {
    if (reason === undefined || !(error instanceof ProviderError)) throw error;
    return { kind: "unread", reason, message: error.message };
  }
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
