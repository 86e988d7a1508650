import { label } from "../api/labels.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import { placementGroupOf } from "../cloud/placement-group.ts";
import type { Ports } from "../ports.ts";
import { instanceIdOf } from "../state/provider-id.ts";
import { report } from "./lifecycle-scope.ts";
import { update } from "./optimistic-update.ts";

/**
 * A claim whose instance is in a placement group with partitions must name its partition before its node takes pods, which may have to
 * spread over partitions; where the launch did not tell, EC2 is asked (karpenter-aws §7, "Placement-group registration hook"). Undefined
 * while it is not known: registration waits.
 */
export async function withPartition(ports: Ports, claim: NodeClaim): Promise<NodeClaim | undefined> {
  const { labels = {}, name } = claim.metadata;
  const isSettled = labels[label.placementGroupId] === undefined || labels[label.placementGroupPartition] !== undefined;
  if (isSettled || !(await hasPartitions(ports, claim))) return claim;
  const instanceId = instanceIdOf(claim.status?.providerID);
  const [instance] =
    instanceId === undefined ? [] : await ports.ec2.describeInstances({ by: "ids", instanceIds: [instanceId] });
  const partition = instance?.partitionNumber;
  if (partition !== undefined) {
    const patch = { metadata: { labels: { [label.placementGroupPartition]: String(partition) } } };
    return update(ports, "NodeClaim", { name }, () => patch);
  }
  const message = `EC2 does not tell yet which partition of placement group ${labels[label.placementGroupId]} instance ${instanceId} is in`;
  await report(ports, claim, "Registered", "Unknown", { reason: "RegistrationHookPending", message });
  return undefined;
}

async function hasPartitions(ports: Ports, { spec }: NodeClaim): Promise<boolean> {
  const nodeClass = await ports.kubernetes.get("EC2NodeClass", { name: spec.nodeClassRef.name });
  const group = nodeClass && placementGroupOf(nodeClass);
  return group?.kind === "group" && group.group.strategy === "partition";
}
