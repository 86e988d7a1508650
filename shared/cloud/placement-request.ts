import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { RunInstancesRequest } from "../ports.ts";
import type { LaunchProblem } from "./launch-situation.ts";
import type { LaunchTraits } from "./launch-traits.ts";
import { placementGroupOf } from "./placement-group.ts";

/** The group that the class has resolved, and the partition that the claim asks for; without one, EC2 spreads over the partitions. */
export function requestedPlacement(
  nodeClass: EC2NodeClass,
  { partition }: LaunchTraits,
): { readonly kind: "placement"; readonly placementGroup?: RunInstancesRequest["placementGroup"] } | LaunchProblem {
  const found = placementGroupOf(nodeClass);
  switch (found.kind) {
    case "none":
      return { kind: "placement" };
    case "unresolved":
      return {
        kind: "problem",
        scope: "class",
        reason: "PlacementGroupNotFound",
        message: `${nodeClass.metadata.name} spec.placementGroupSelector: ${found.selector} is not resolved yet`,
      };
    case "group": {
      const { id, strategy } = found.group;
      const isPartitioned = strategy === "partition" && partition !== undefined;
      return { kind: "placement", placementGroup: { id, ...(isPartitioned && { partition }) } };
    }
  }
}
