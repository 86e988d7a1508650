import { annotation, clusterOwnershipTag, tag } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { parseTime } from "../api/time.ts";
import { unsettledClaims } from "../cloud/launch-groups.ts";
import { parseLaunchRecord } from "../cloud/launch-record.ts";
import type { Ec2Instance, Ports } from "../ports.ts";
import type { Settings } from "../state/settings.ts";

/** Instances that carry a claim's name when its status does not name one: a crash can fall between RunInstances and the status. */
export async function taggedInstances(
  ports: Ports,
  settings: Settings,
  claim: NodeClaim,
): Promise<readonly Ec2Instance[]> {
  const tagged = await ports.ec2.describeInstances({ by: "tag", key: tag.nodeClaim, value: claim.metadata.name });
  return tagged.filter((instance) => instance.state !== "terminated" && isOfCluster(instance, settings.clusterName));
}

/**
 * Why a deleting claim's record is still needed: a launch of its group may be under way, which only the planner can settle (design
 * §4.1, step 6). A launch that nobody settles for the registration timeout is given up; what it made carries tags and is collected.
 */
export function launchObstacle(
  claim: NodeClaim,
  claims: readonly NodeClaim[],
  settings: Settings,
  now: number,
): string | undefined {
  const { name, annotations, deletionTimestamp } = claim.metadata;
  const deletingFor = deletionTimestamp === undefined ? 0 : now - parseTime(deletionTimestamp);
  if (deletingFor > settings.registrationTimeoutSeconds * 1_000) return undefined;
  const parsed = parseLaunchRecord(annotations?.[annotation.launch]);
  if (parsed.kind === "unreadable") return parsed.reason;
  return unsettledClaims(claims).has(name) ? "a launch of its group has no answer yet" : undefined;
}

/** Tags are all that tells two clusters' instances apart: claims of two clusters may share a name. */
function isOfCluster(instance: Ec2Instance, clusterName: string): boolean {
  return instance.tags[tag.clusterName] === clusterName || clusterOwnershipTag(clusterName) in instance.tags;
}
