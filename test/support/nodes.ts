import type { Node } from "../../shared/api/core.ts";
import { label } from "../../shared/api/labels.ts";
import type { NodeClaim } from "../../shared/api/node-claim.ts";
import type { Taint } from "../../shared/api/schema.ts";
import { nodeNamed } from "./cluster-objects.ts";
import { nodeClaim } from "./node-claims.ts";

interface NodeOptions {
  readonly zone?: string;
  readonly pool?: string;
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Node nobody of ours made: 4 CPU, 16Gi, 58 pods, zone a. */
export function plainNode(name: string, options: NodeOptions = {}): Node {
  const { zone = "a", cpu, labels, taints, annotations } = options;
  const node = nodeNamed(name, {
    labels: { [label.zone]: zone, [label.arch]: "amd64", [label.os]: "linux", ...labels },
    spec: { providerID: `aws:///${zone}/i-${name}`, ...(taints && { taints: [...taints] }) },
    ...(cpu !== undefined && { cpu }),
  });
  return { ...node, metadata: { ...node.metadata, uid: `node-${name}`, ...(annotations && { annotations }) } };
}

interface ClaimedOptions extends NodeOptions {
  readonly initialized?: boolean;
  readonly initializedAt?: string;
  readonly startupTaints?: readonly Taint[];
  readonly claimAnnotations?: Readonly<Record<string, string>>;
}

/** A Node and its NodeClaim, by default initialized. */
export function claimedNode(
  name: string,
  options: ClaimedOptions = {},
): { readonly node: Node; readonly claim: NodeClaim } {
  const { pool = "default", initialized = true, initializedAt, startupTaints, claimAnnotations } = options;
  const node = plainNode(name, { ...options, labels: { [label.nodePool]: pool, ...options.labels } });
  const { capacity = {}, allocatable = {} } = node.status ?? {};
  const claim = nodeClaim(`${name}-claim`, {
    labels: { [label.nodePool]: pool },
    ...(claimAnnotations && { annotations: claimAnnotations }),
    ...(startupTaints && { startupTaints: [...startupTaints] }),
    status: {
      nodeName: name,
      providerID: node.spec?.providerID ?? "",
      capacity,
      allocatable,
      conditions: [
        {
          type: "Initialized",
          status: initialized ? "True" : "False",
          ...(initializedAt !== undefined && { lastTransitionTime: initializedAt }),
        },
      ],
    },
  });
  return { node, claim };
}

/** A launched claim of 4 CPU and 16Gi in zone a whose Node is still to come. */
export function inFlightClaim(name: string, options: ClaimedOptions = {}): NodeClaim {
  const { claim } = claimedNode(name, { ...options, initialized: false });
  const { nodeName: _, ...status } = claim.status ?? {};
  return {
    ...claim,
    metadata: { ...claim.metadata, name, labels: { ...claim.metadata.labels, [label.zone]: options.zone ?? "a" } },
    spec: {
      ...claim.spec,
      requirements: [
        { key: label.arch, operator: "In", values: ["amd64"] },
        { key: label.os, operator: "In", values: ["linux"] },
      ],
    },
    status,
  };
}
