import type { Catalog } from "../../../shared/cloud/catalog.ts";
import type { SimulatedEc2 } from "../../../shared/simulator/ec2.ts";
import type { SimulatedAccount } from "../../../shared/simulator/ec2-account.ts";
import type { PlacementScores } from "../../../shared/simulator/ec2-placement-scores.ts";
import type { QueryForm } from "./query-form.ts";
import type { XmlValue } from "./xml.ts";

/** What stands behind the server: the simulated EC2 and the data of one account. */
export interface WireCloud {
  readonly ec2: SimulatedEc2;
  readonly account: SimulatedAccount;
  readonly catalog: Catalog;
  readonly placementScores: PlacementScores;
  readonly now: () => number;
  /** Clusters as eks:DescribeCluster gives them, by name. */
  readonly clusters?: ReadonlyMap<string, object>;
  /** Instance types as DescribeInstanceTypes gives them, beside the catalog's: those that nobody may use, or that cannot be read. */
  readonly otherInstanceTypes?: readonly { readonly [name: string]: XmlValue }[];
  /** Instances whose status checks fail or that have events scheduled, by id. */
  readonly impaired?: ReadonlyMap<string, InstanceStatus>;
  /** At most so many objects on a page, whatever the caller asks for. */
  readonly pageLimit?: number;
}

export interface InstanceStatus {
  readonly instance?: string;
  readonly system?: string;
  readonly eventCode?: string;
}

/** Answers one action of EC2's query API with the content of its response element. */
export type Ec2Action = (cloud: WireCloud, form: QueryForm) => Promise<XmlValue>;
