import { type NodePool, nodePool as schema } from "../../shared/api/node-pool.ts";
import type { Taint } from "../../shared/api/schema.ts";

type Entry = NodePool["spec"]["template"]["spec"]["requirements"][number];

interface NodePoolOptions {
  readonly weight?: number;
  readonly limits?: Readonly<Record<string, string>>;
  readonly requirements?: readonly Entry[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly replicas?: number;
  readonly nodeClass?: string;
  readonly deletedAt?: string;
}

/** A NodePool of the EC2NodeClass "default". */
export function nodePool(name = "default", options: NodePoolOptions = {}): NodePool {
  const { weight, limits, requirements = [], labels, taints, startupTaints, replicas, deletedAt } = options;
  return schema.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name, uid: `nodepool-${name}`, ...(deletedAt && { deletionTimestamp: deletedAt }) },
    spec: {
      template: {
        metadata: { labels: { ...labels } },
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: options.nodeClass ?? "default" },
          requirements,
          ...(taints && { taints }),
          ...(startupTaints && { startupTaints }),
        },
      },
      ...(weight !== undefined && { weight }),
      ...(limits && { limits }),
      ...(replicas !== undefined && { replicas }),
    },
  });
}

/** `key In [values]`. */
export function oneOf(key: string, ...values: string[]): Entry {
  return { key, operator: "In", values };
}
