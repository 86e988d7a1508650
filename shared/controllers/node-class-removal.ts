import type { NodeClassPorts } from "../account-ports.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import { awsGroup, nodeClassFinalizer } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { formatTime, isTime, parseTime } from "../api/time.ts";
import type { Settings } from "../state/settings.ts";
import { patchFacts, readFacts } from "./fact-map.ts";
import { limitedParallel } from "./limited-parallel.ts";
import { profilePath } from "./node-class-profile.ts";
import { writeWarning } from "./object-events.ts";
import { update } from "./optimistic-update.ts";

const deletionsAtOnce = 4;

/** A class that is being deleted stays as long as a NodeClaim needs it; then its instance profiles go, and it with them. */
export async function removeNodeClass(
  ports: NodeClassPorts,
  settings: Settings,
  nodeClass: EC2NodeClass,
  claims: readonly NodeClaim[],
): Promise<void> {
  if (!nodeClass.metadata.finalizers?.includes(nodeClassFinalizer)) return;
  if (claims.length > 0) {
    const names = claims.map(({ metadata }) => metadata.name).sort();
    const rest = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    const message = `waits for the termination of NodeClaims ${names.slice(0, mostNames).join(", ")}${rest}`;
    await writeWarning(ports, nodeClass, { reason: "WaitingOnNodeClaimTermination", message });
    return;
  }
  if (!settings.isolatedVpc) {
    const profiles = await ports.nodeClass.instanceProfiles(profilePath(settings, nodeClass));
    await deleteProfiles(ports, profiles);
  }
  await update(
    ports,
    "EC2NodeClass",
    { name: nodeClass.metadata.name },
    ({ metadata: { finalizers = [] } }) =>
      finalizers.includes(nodeClassFinalizer)
        ? { metadata: { finalizers: finalizers.filter((one) => one !== nodeClassFinalizer) } }
        : undefined,
    { current: nodeClass },
  );
}

const mostNames = 3;

const sweepMilliseconds = 30 * 60_000;
/** A profile this young may belong to a class whose status is not written yet. */
const youngMilliseconds = 3_600_000;
const sweptKey = "profiles";
const sweepFacts = "journeyman-sweeps";

/** Each half hour: instance profiles of the cluster that no class and no NodeClaim refers to (karpenter-aws §7). */
export async function collectProfiles(ports: NodeClassPorts, settings: Settings): Promise<void> {
  if (settings.isolatedVpc) return;
  const now = ports.clock.now();
  const swept = (await readFacts(ports, settings, sweepFacts))[sweptKey];
  if (swept !== undefined && isTime(swept) && now - parseTime(swept) < sweepMilliseconds) return;
  // Read anew: the pass before this may have gone back to a profile that was in use no more.
  const nodeClasses = await ports.kubernetes.list("EC2NodeClass");
  // Only where a class has us make profiles is there anything to look for, and a permission to.
  if (nodeClasses.some(({ spec }) => spec.role !== undefined)) {
    const inUse = await profilesInUse(ports, settings, nodeClasses);
    const known = await ports.nodeClass.instanceProfiles(profilePath(settings));
    await deleteProfiles(
      ports,
      known.filter(({ name, createdAt }) => !inUse.has(name) && now - createdAt > youngMilliseconds),
    );
  }
  await patchFacts(ports, settings, sweepFacts, { [sweptKey]: formatTime(now) });
}

/** Whatever a claim that names none may have been launched with counts: its class's profiles, all of them. */
async function profilesInUse(
  ports: NodeClassPorts,
  settings: Settings,
  nodeClasses: readonly EC2NodeClass[],
): Promise<ReadonlySet<string>> {
  const claims = await ports.kubernetes.list("NodeClaim");
  const profileOf = ({ metadata }: NodeClaim) => metadata.annotations?.[`${awsGroup}/instance-profile-name`];
  const inUse = new Set([...nodeClasses.map(({ status }) => status?.instanceProfile), ...claims.map(profileOf)]);
  const unnamed = new Set(
    claims.filter((one) => profileOf(one) === undefined).map(({ spec }) => spec.nodeClassRef.name),
  );
  for (const nodeClass of nodeClasses.filter(({ metadata }) => unnamed.has(metadata.name))) {
    const ofClass = await ports.nodeClass.instanceProfiles(profilePath(settings, nodeClass));
    for (const { name } of ofClass) inUse.add(name);
  }
  return new Set([...inUse].filter((name) => name !== undefined));
}

async function deleteProfiles(ports: NodeClassPorts, profiles: readonly { readonly name: string }[]): Promise<void> {
  await limitedParallel(profiles, deletionsAtOnce, ({ name }) => ports.nodeClass.deleteInstanceProfile(name));
}
