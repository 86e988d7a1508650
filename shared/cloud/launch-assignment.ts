import type { Ec2Instance } from "../ports.ts";
import type { UnavailableOffering } from "./catalog.ts";
import { isWanting, type LaunchGroup } from "./launch-groups.ts";
import type { LeaderRecord } from "./launch-record.ts";
import type { LaunchPair, LaunchStep } from "./launch-situation.ts";

/**
 * Instances and members, both sorted and matched; instances and members that have each other already are left out; what is over is
 * surplus (design §4.1, step 6). The same however often a crash interrupts its writes.
 */
export function assignment(
  group: LaunchGroup,
  instances: readonly Ec2Instance[],
  record: LeaderRecord,
  mark: readonly UnavailableOffering[] = [],
): Extract<LaunchStep, { kind: "assign" }> {
  const spare = unassigned(group, instances);
  const usable = spare.filter((instance) => instance.state === "pending" || instance.state === "running");
  const pairs = group.members.filter(isWanting).flatMap(({ name }, index): LaunchPair[] => {
    const instance = usable[index];
    return instance === undefined ? [] : [{ nodeClaim: name, instance }];
  });
  const given = new Set(pairs.map(({ instance }) => instance.instanceId));
  const surplus = spare.map((instance) => instance.instanceId).filter((id) => !given.has(id));
  return { kind: "assign", mark, pairs, surplus, record };
}

/** Whether EC2 shows living instances of the group that no member has. */
export function hasUnassigned(group: LaunchGroup, instances: readonly Ec2Instance[]): boolean {
  return unassigned(group, instances).length > 0;
}

function unassigned(group: LaunchGroup, instances: readonly Ec2Instance[]): readonly Ec2Instance[] {
  const assigned = new Set(group.members.map((member) => member.instanceId));
  return instances
    .filter((one) => one.state !== "terminated" && one.state !== "shutting-down" && !assigned.has(one.instanceId))
    .sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
}
