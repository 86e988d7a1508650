import type { AmiFamily } from "../../shared/api/ec2-node-class.ts";
import type { NodeBootstrap } from "../../shared/cloud/user-data/node-bootstrap.ts";
import { userData } from "../../shared/cloud/user-data/user-data.ts";
import { clusterEndpoint } from "./launches.ts";

/** A spot node of the NodePool "default" with 29 pods, not yet registered. */
export function nodeBootstrap(changes: Partial<NodeBootstrap> = {}): NodeBootstrap {
  return {
    cluster: clusterEndpoint,
    labels: { "karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "spot" },
    taints: [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }],
    maxPods: 29,
    ...changes,
  };
}

/** The user data; throws with the reason if there is none. */
export function userDataText(family: AmiFamily, bootstrap: NodeBootstrap, custom?: string): string {
  const made = userData(family, bootstrap, custom);
  if (made.kind === "problem") throw new Error(`${made.reason}: ${made.message}`);
  return made.text;
}
