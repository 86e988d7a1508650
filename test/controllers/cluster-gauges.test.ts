import { describe, expect, it } from "vitest";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { NodePool } from "../../shared/api/node-pool.ts";
import { clusterGauges } from "../../shared/controllers/cluster-gauges.ts";
import { SimulatedKubernetes } from "../../shared/simulator/kubernetes-port.ts";
import { nodeClaim } from "../support/node-claims.ts";
import { nodePool } from "../support/node-pools.ts";
import { apiServerAlone } from "../support/simulated-cluster.ts";

const now = Date.parse("2026-01-01T01:00:00Z");

/** The gauges of these objects, as `name{label="value"} value`. */
async function gaugesOf(pools: readonly NodePool[], claims: readonly NodeClaim[] = []): Promise<string[]> {
  const { server } = apiServerAlone();
  for (const pool of pools) {
    server.create("NodePool", pool);
    if (pool.status !== undefined) {
      server.patch("NodePool", pool.metadata, { status: pool.status }, { subresource: "status" });
    }
  }
  for (const claim of claims) {
    server.create("NodeClaim", claim);
    server.patch("NodeClaim", claim.metadata, { status: claim.status }, { subresource: "status" });
  }
  const samples = await clusterGauges(new SimulatedKubernetes(server, "webhook"), now);
  return samples.map(({ name, labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}{${pairs.join(",")}} ${value}`;
  });
}

describe("the cluster's gauges", () => {
  it("tell a NodePool's limits and use in cores and bytes, with resources named as Karpenter names them", async () => {
    const pool = nodePool("general", { limits: { cpu: "1500m", "nvidia.com/gpu": "2", "ephemeral-storage": "1Ki" } });
    expect(await gaugesOf([{ ...pool, status: { resources: { memory: "1Gi" } } }])).toEqual([
      'karpenter_nodepools_limit{nodepool="general",resource_type="cpu"} 1.5',
      'karpenter_nodepools_limit{nodepool="general",resource_type="nvidia.com/gpu"} 2',
      'karpenter_nodepools_limit{nodepool="general",resource_type="ephemeral_storage"} 1024',
      'karpenter_nodepools_usage{nodepool="general",resource_type="memory"} 1073741824',
    ]);
  });

  it("tell each condition of a NodePool and of a NodeClaim, and for how long it has stood so", async () => {
    const lastTransitionTime = "2026-01-01T00:59:00Z";
    const condition = { type: "Ready", status: "False" as const, reason: "NotReady", lastTransitionTime };
    const pool = { ...nodePool("general"), status: { conditions: [condition] } };
    const claim = nodeClaim("one", { status: { conditions: [{ type: "Launched", status: "True" }] } });
    expect(await gaugesOf([pool], [claim])).toEqual([
      'operator_nodepool_status_condition_count{name="general",namespace="",type="Ready",status="False",reason="NotReady"} 1',
      'operator_nodepool_status_condition_current_status_seconds{name="general",namespace="",type="Ready",status="False",reason="NotReady"} 60',
      'operator_nodeclaim_status_condition_count{name="one",namespace="",type="Launched",status="True",reason=""} 1',
    ]);
  });

  it("tell how long a NodeClaim has been terminating", async () => {
    const list = async () => [nodeClaim("gone", { deletedAt: "2026-01-01T00:58:00Z" })];
    // Of two kinds that are listed, the pools are none.
    const kubernetes = { list: (kind: string) => (kind === "NodeClaim" ? list() : Promise.resolve([])) };
    const samples = await clusterGauges(kubernetes as Parameters<typeof clusterGauges>[0], now);
    expect(samples).toEqual([
      {
        name: "operator_nodeclaim_termination_current_time_seconds",
        labels: { name: "gone", namespace: "" },
        value: 120,
      },
    ]);
  });
});
