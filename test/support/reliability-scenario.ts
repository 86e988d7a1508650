import type { KubernetesObject } from "../../shared/api/kinds.ts";
import { type NodePool, nodePool } from "../../shared/api/node-pool.ts";
import type { Taint } from "../../shared/api/schema.ts";
import type { ScenarioAction } from "../../shared/simulator/scenario.ts";
import { budgetNamed, daemonSetNamed, deploymentNamed, statefulSetNamed } from "./cluster-objects.ts";
import { nodeClass } from "./node-classes.ts";

const forBursts = { key: "dedicated", value: "bursts", effect: "NoSchedule" } as const;

/** Two NodePools and workloads that lean on every promise: limits, budgets, spread, long graces, do-not-disrupt. */
export const objects: readonly KubernetesObject[] = [
  nodeClass(),
  pool("flexible", { capacityTypes: ["spot", "on-demand"], limits: { cpu: "32" }, nodes: "50%" }),
  pool("bursts", { capacityTypes: ["on-demand"], limits: { nodes: "3" }, nodes: "1", taints: [forBursts] }),
  daemonSetNamed("agent", { cpu: "50m", memory: "64Mi", spec: { tolerations: [{ operator: "Exists" }] } }),
  deploymentNamed("web", { replicas: 8, cpu: "500m", memory: "512Mi" }),
  budgetNamed("web", { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } }),
  deploymentNamed("api", { replicas: 6, cpu: "1", memory: "2Gi", spec: { terminationGracePeriodSeconds: 45 } }),
  budgetNamed("api", { minAvailable: "60%", selector: { matchLabels: { app: "api" } } }),
  statefulSetNamed("store", {
    replicas: 3,
    cpu: "300m",
    memory: "1Gi",
    spec: { topologySpreadConstraints: [spreadOver("kubernetes.io/hostname", "store")] },
  }),
  deploymentNamed("ledger", {
    replicas: 2,
    cpu: "250m",
    memory: "256Mi",
    annotations: { "karpenter.sh/do-not-disrupt": "true" },
  }),
  deploymentNamed("burst", {
    replicas: 0,
    cpu: "1500m",
    spec: {
      nodeSelector: { "karpenter.sh/nodepool": "bursts" },
      tolerations: [forBursts],
      topologySpreadConstraints: [spreadOver("kubernetes.io/hostname", "burst")],
    },
  }),
];

/** Load rises beyond what the limits hold, EC2 takes nodes back while they are full, and load falls: empty nodes and late starters. */
export const steps: readonly (readonly [atMinutes: number, action: ScenarioAction])[] = [
  [2, scale("web", 18)],
  [2, scale("api", 14)],
  [2, scale("burst", 4)],
  [4, { do: "interruptSpot", target: { count: 2 } }],
  [6, scale("burst", 0)],
  [7, { do: "interruptSpot", target: { count: 2 } }],
  [9, scale("web", 5)],
  [9, scale("api", 5)],
];

function scale(name: string, replicas: number): ScenarioAction {
  return { do: "scale", kind: "Deployment", namespace: "default", name, replicas };
}

function spreadOver(topologyKey: string, app: string) {
  const labelSelector = { matchLabels: { app } };
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule" as const, labelSelector };
}

function pool(
  name: string,
  input: {
    readonly capacityTypes: readonly string[];
    readonly limits: Readonly<Record<string, string>>;
    /** The disruption budget. */
    readonly nodes: string;
    readonly taints?: readonly Taint[];
  },
): NodePool {
  const requirements = [
    { key: "karpenter.sh/capacity-type", operator: "In", values: input.capacityTypes },
    { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
    { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
    { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["4"] },
    { key: "karpenter.k8s.aws/instance-cpu", operator: "Lt", values: ["9"] },
  ];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  return nodePool.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      template: { spec: { nodeClassRef, requirements, taints: input.taints ?? [] } },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "30s", budgets: [{ nodes: input.nodes }] },
      limits: input.limits,
    },
  });
}
