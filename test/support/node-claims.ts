import { label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";

interface NodeClaimOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: NodeClaim["spec"]["taints"];
  readonly startupTaints?: NodeClaim["spec"]["startupTaints"];
  readonly resources?: NodeClaim["spec"]["resources"];
  readonly terminationGracePeriod?: string;
  readonly createdAt?: string;
  readonly deletedAt?: string;
  readonly uid?: string;
  readonly status?: NodeClaim["status"];
}

/** A NodeClaim of the NodePool and EC2NodeClass "default". */
export function nodeClaim(name: string, options: NodeClaimOptions = {}): NodeClaim {
  const { labels, annotations, taints, startupTaints, createdAt, deletedAt, uid, status } = options;
  const { resources, terminationGracePeriod } = options;
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: {
      name,
      uid: uid ?? `uid-${name}`,
      labels: { [label.nodePool]: "default", ...labels },
      ...(annotations && { annotations }),
      ...(createdAt && { creationTimestamp: createdAt }),
      ...(deletedAt && { deletionTimestamp: deletedAt }),
    },
    spec: {
      nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
      requirements: [],
      ...(resources && { resources }),
      ...(terminationGracePeriod && { terminationGracePeriod }),
      ...(taints && { taints }),
      ...(startupTaints && { startupTaints }),
    },
    ...(status && { status }),
  };
}
