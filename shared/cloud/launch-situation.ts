import type { Ec2Instance, RunInstancesRequest } from "../ports.ts";
import type { UnavailableOffering } from "./catalog.ts";
import type { Ec2ErrorClass } from "./ec2-errors.ts";
import type { LaunchGroup } from "./launch-groups.ts";
import type { LeaderRecord } from "./launch-record.ts";
import type { RankedOffering } from "./ranking.ts";
import type { RequestBudget } from "./request-budget.ts";

/** What is known of the attempt in the leader's record. */
export type LaunchOutcome =
  /** The record was read from the cluster: whether it was sent, and with what answer, is not known. */
  | { readonly kind: "unknown" }
  /** This pass wrote the record and has not sent it yet. */
  | { readonly kind: "unsent" }
  | { readonly kind: "launched"; readonly instances: readonly Ec2Instance[] }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

/** One group at one moment of one pass. */
export interface LaunchSituation {
  readonly group: LaunchGroup;
  readonly outcome: LaunchOutcome;
  /** What EC2 shows under the group's tag; absent before this pass has looked. */
  readonly instances?: readonly Ec2Instance[];
  readonly unavailable: readonly UnavailableOffering[];
  /** Requests of this pass, replays included. */
  readonly attemptsThisPass: number;
  readonly budget: RequestBudget;
  /** How many more nodes the spread over spot pools lets an offering have, where this one is no longer what was planned. */
  readonly spreadRoom: (offering: RankedOffering) => number;
  readonly now: number;
}

/** Why a request cannot be built: for this offering only, or for the NodeClass whatever the offering. */
export interface LaunchProblem {
  readonly kind: "problem";
  readonly scope: "offering" | "class";
  /** Reason of a condition, such as `AMINotFound`. */
  readonly reason: string;
  readonly message: string;
  /** Subnets without the addresses that the nodes and their pods need. */
  readonly fullSubnets?: readonly string[];
}

export interface LaunchTarget {
  readonly kind: "target";
  readonly subnetId: string;
  readonly imageId: string;
  /** So many nodes have room in the subnet. */
  readonly most: number;
}

/** A record's attempt before its request is hashed. */
export type LaunchAttempt = Omit<LeaderRecord, "requestSha">;

/** How requests are made of a group's NodeClaim and NodeClass (run-instances.ts). Pure: the same record, the same request. */
export interface LaunchRequests {
  readonly clusterName: string;
  /** The class's, whose limits are its own. */
  readonly placementGroupId?: string;
  target(
    offering: RankedOffering,
    unavailable: readonly UnavailableOffering[],
    now: number,
  ): LaunchTarget | LaunchProblem;
  request(attempt: LaunchAttempt): { readonly kind: "request"; readonly request: RunInstancesRequest } | LaunchProblem;
}

/** A member and the instance it is given. */
export interface LaunchPair {
  readonly nodeClaim: string;
  readonly instance: Ec2Instance;
}

/** A write of the annotation `journeyman.sh/launch`. */
export interface RecordWrite {
  readonly nodeClaim: string;
  readonly annotation: string;
}

/** What to do next for one group. `finished`, `wait`, `give-up` and `stop-pool` end the group's pass. */
export type LaunchStep =
  /** Perform the writes in order: the leader's, the commit, is the last. */
  | { readonly kind: "write-record"; readonly writes: readonly RecordWrite[]; readonly record: LeaderRecord }
  | { readonly kind: "send"; readonly request: RunInstancesRequest }
  | { readonly kind: "resolve-by-tag"; readonly tagKey: string; readonly tagValue: string }
  /** In this order: remember the marks, write each pair to its claim's status, terminate the surplus, write the leader's record. */
  | {
      readonly kind: "assign";
      readonly mark: readonly UnavailableOffering[];
      readonly pairs: readonly LaunchPair[];
      readonly surplus: readonly string[];
      readonly record: LeaderRecord;
    }
  /** This attempt is settled without instances: remember the marks, then write the record. */
  | {
      readonly kind: "next-offering";
      readonly mark: readonly UnavailableOffering[];
      readonly record: LeaderRecord;
      readonly error: Ec2ErrorClass;
    }
  | { readonly kind: "finished" }
  /** `pause: "all"` asks the caller to send nothing more in this pass: the account's bucket is empty. */
  | {
      readonly kind: "wait";
      readonly delaySeconds: number;
      readonly reason: string;
      readonly pause: "group" | "all";
      /** Set when an error is to be reported, unknown codes among them. */
      readonly error?: Ec2ErrorClass;
    }
  /** Every offering is gone: remember the marks, delete these claims, tell their pods, plan again. */
  | {
      readonly kind: "give-up";
      readonly mark: readonly UnavailableOffering[];
      readonly nodeClaims: readonly string[];
      readonly reason: string;
    }
  /**
   * Only a person can help: a condition on the claims, and the NodePool backs off alone. The record is written first; without one, EC2
   * was not asked.
   */
  | {
      readonly kind: "stop-pool";
      readonly nodeClaims: readonly string[];
      readonly reason: string;
      readonly message: string;
      readonly record?: LeaderRecord;
    };
