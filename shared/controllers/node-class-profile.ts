import type { NodeClassPorts } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { clusterOwnershipTag, label, tag } from "../api/labels.ts";
import { shortHash } from "../api/short-hash.ts";
import { ProviderError } from "../ports.ts";
import type { Finding } from "../state/node-class-status.ts";
import type { Settings } from "../state/settings.ts";
import type { ClassMemory } from "./node-class-memory.ts";

/** So long a look at a profile is good for; IAM's calls are few and shared by the whole account. */
const checkedForMilliseconds = 15 * 60_000;

interface FoundProfile {
  readonly name: string;
  readonly memory?: NonNullable<ClassMemory["instanceProfile"]>;
}

/**
 * The instance profile that a class gives, or one with the role that it gives: the one in its status, whoever made it, as long as it has
 * this role, else one of our own (karpenter-aws §1.3). Its name follows from class and role, so that a pass that is repeated makes no
 * second one, and another role means another profile: nodes of the old one keep it.
 */
export async function findInstanceProfile(
  ports: NodeClassPorts,
  settings: Settings,
  nodeClass: EC2NodeClass,
  known: ClassMemory["instanceProfile"],
): Promise<Finding<FoundProfile>> {
  const { instanceProfile: given, role: stated = "" } = nodeClass.spec;
  if (given !== undefined) return { kind: "found", value: { name: given } };
  const role = bareName(stated);
  const now = ports.clock.now();
  const current = nodeClass.status?.instanceProfile;
  if (settings.isolatedVpc) return withoutIam(current);
  const isFresh = known !== undefined && now - known.checkedAt < checkedForMilliseconds;
  if (isFresh && known.role === role && known.name === current) {
    return { kind: "found", value: { name: known.name, memory: known } };
  }
  const checked = (name: string) => ({ name, memory: { name, role, checkedAt: now } });
  const inUse = current === undefined ? undefined : await ports.nodeClass.instanceProfile(current);
  if (inUse?.roles.includes(role)) return { kind: "found", value: checked(inUse.name) };
  const name = profileName(settings, nodeClass, role);
  const made = await makeProfile(ports, settings, nodeClass, { name, role });
  return made === "made"
    ? { kind: "found", value: checked(name) }
    : { kind: "missing", reason: "InstanceProfileNotFound", message: `spec.role: there is no role ${role}` };
}

/** IAM has no endpoint in a VPC that has no way out (karpenter-aws §1.3): what the status names has to do. */
function withoutIam(current: string | undefined): Finding<FoundProfile> {
  if (current !== undefined) return { kind: "found", value: { name: current } };
  const message = "spec.role: no instance profile can be made in an isolated VPC; set spec.instanceProfile instead";
  return { kind: "missing", reason: "InstanceProfileNotFound", message };
}

/** Where the profiles of a cluster are, or of one of its classes. */
export function profilePath({ region, clusterName }: Settings, nodeClass?: EC2NodeClass): string {
  const ofCluster = `/karpenter/${region}/${clusterName}/`;
  return nodeClass === undefined ? ofCluster : `${ofCluster}${nodeClass.metadata.uid ?? nodeClass.metadata.name}/`;
}

/** A profile that does not get its role is of no use, and is taken away. */
async function makeProfile(
  { nodeClass: port }: NodeClassPorts,
  settings: Settings,
  nodeClass: EC2NodeClass,
  { name, role }: { readonly name: string; readonly role: string },
): Promise<"made" | "no such role"> {
  const tags = {
    ...nodeClass.spec.tags,
    [clusterOwnershipTag(settings.clusterName)]: "owned",
    [tag.clusterName]: settings.clusterName,
    [tag.nodeClass]: nodeClass.metadata.name,
    [label.region]: settings.region,
  };
  await port.createInstanceProfile({ name, path: profilePath(settings, nodeClass), tags });
  try {
    await port.addRole(name, role);
    return "made";
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // IAM may not show for some seconds what was just made: it is the profile that is not found then, and it has its role next time.
    if (error.kind === "NotFound" && (await port.instanceProfile(name)) === undefined) throw error;
    await port.deleteInstanceProfile(name);
    if (error.kind === "NotFound") return "no such role";
    throw error;
  }
}

/** IAM takes 128 characters. */
function profileName({ region, clusterName }: Settings, { metadata }: EC2NodeClass, role: string): string {
  return `${clusterName.slice(0, 100)}_${shortHash([region, metadata.uid ?? metadata.name, role].join("|"), 20)}`;
}

/** IAM's calls take the name of a role without its path. */
function bareName(role: string): string {
  return role.slice(role.lastIndexOf("/") + 1);
}
