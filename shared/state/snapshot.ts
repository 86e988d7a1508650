import type { Node } from "../api/core.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";
import type { NodeClaim } from "../api/node-claim.ts";
import type { NodePool } from "../api/node-pool.ts";
import type { PodDisruptionBudget } from "../api/policy.ts";
import type { DaemonSet } from "../api/workloads.ts";
import type { Catalog, UnavailableOffering } from "../cloud/catalog.ts";
import type { PodRecord } from "./pod-record.ts";
import type { Settings } from "./settings.ts";

/**
 * The world at one moment, as planning sees it. Frozen: the same snapshot gives the same plan, whatever the order of its lists
 * (design rule 2).
 */
export interface Snapshot {
  readonly now: number;
  readonly settings: Settings;
  /** Every pod that is neither Succeeded nor Failed. */
  readonly pods: readonly PodRecord[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Labels of each namespace, for namespace selectors. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly catalog: Catalog;
  readonly unavailableOfferings: readonly UnavailableOffering[];
}
