import { capacityBufferDefinition } from "./capacity-buffer-crd.ts";
import type { Definition } from "./definition.ts";
import { ec2NodeClassDefinition } from "./ec2-node-class-crd.ts";
import { nodeClaimDefinition } from "./node-claim-crd.ts";
import { nodeOverlayDefinition } from "./node-overlay-crd.ts";
import { nodePoolDefinition } from "./node-pool-crd.ts";

/** The kinds that a cluster must know for Journeyman to work. */
export const definitions: readonly Definition[] = [
  nodePoolDefinition,
  nodeClaimDefinition,
  nodeOverlayDefinition,
  ec2NodeClassDefinition,
  capacityBufferDefinition,
];
