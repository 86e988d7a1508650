import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { annotation, label } from "../../../shared/api/labels.ts";
import { formatPlacementGroup } from "../../../shared/cloud/placement-group.ts";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodePool } from "../../support/node-pools.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";
import { snapshotWith } from "../../support/snapshot.ts";

const partition = label.placementGroupPartition;

/** Pods of each node, by its partitions, in their order, on a class whose placement group has three. */
function podsByPartitions(pods: readonly Pod[]): readonly (readonly [partitions: string, pods: number])[] {
  const made = nodeClass({ placementGroupSelector: { name: "web" } });
  const group = formatPlacementGroup({ id: "pg-1", name: "web", strategy: "partition", partitionCount: 3 });
  const nodeClasses = [
    { ...made, metadata: { ...made.metadata, annotations: { [annotation.placementGroup]: group } } },
  ];
  const { nodeClaims, unschedulable } = planProvisioning(snapshotWith({ pools: [nodePool()], nodeClasses, pods }));
  expect(unschedulable).toEqual([]);
  return nodeClaims
    .map(
      ({ requirements, pods: placed }) =>
        [[...(requirements.get(partition)?.values ?? [])].join(), placed.length] as const,
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

describe("the partitions of a placement group", () => {
  it("are domains that pods can be spread over", () => {
    const labels = { app: "web" };
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: partition,
        whenUnsatisfiable: "DoNotSchedule" as const,
        labelSelector: { matchLabels: labels },
      },
    ];
    const pods = pendingPods(6, "web", { cpu: "1", labels, spec: { topologySpreadConstraints } });
    expect(podsByPartitions(pods)).toEqual([
      ["1", 2],
      ["2", 2],
      ["3", 2],
    ]);
  });

  it("are places that a pod can ask for", () => {
    const pod = pendingPod("web", { cpu: "1", spec: { nodeSelector: { [partition]: "2" } } });
    expect(podsByPartitions([pod])).toEqual([["2", 1]]);
  });
});
