import type { UnavailableOffering } from "../cloud/catalog.ts";
import type { LaunchBreaker } from "../cloud/launch-breaker.ts";
import { isWanting, type LaunchGroup } from "../cloud/launch-groups.ts";
import type { LaunchSituation, LaunchStep } from "../cloud/launch-situation.ts";
import type { RankedOffering } from "../cloud/ranking.ts";
import type { RequestBudget } from "../cloud/request-budget.ts";
import { inPlan, inPool, type SpotLimits, spotLimits } from "../cloud/spot-spread.ts";
import { spotFleet } from "../provisioning/spot-fleet.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { addressesInUse } from "./subnet-use.ts";

/** What a pass over the launches has changed so far: each group starts where the one before it ended. */
export class LaunchState {
  unavailable: readonly UnavailableOffering[];
  budget: RequestBudget;
  readonly breakers: Map<string, LaunchBreaker>;
  readonly #free: Map<string, number>;
  readonly #limits: SpotLimits;
  /** Where each claim that wants a spot node is about to get one. */
  readonly #places = new Map<string, { readonly nodePool: string; readonly offering: RankedOffering }>();

  constructor(snapshot: Snapshot, groups: readonly LaunchGroup[], budget: RequestBudget) {
    this.unavailable = snapshot.unavailableOfferings;
    this.budget = budget;
    this.breakers = new Map(snapshot.launchBreakers?.map((breaker) => [breaker.nodePool, breaker]));
    this.#free = new Map(snapshot.subnetAddresses);
    for (const [subnetId, addresses] of addressesInUse(snapshot)) this.takeAddresses(subnetId, addresses);
    const wanted: { nodePool: string; offerings: [RankedOffering, ...RankedOffering[]] }[] = [];
    for (const { nodePool, members, offerings } of groups) {
      const [first, ...others] = offerings;
      if (first === undefined) continue;
      for (const { name } of members.filter(isWanting)) {
        wanted.push({ nodePool, offerings: [first, ...others] });
        this.#places.set(name, { nodePool, offering: first });
      }
    }
    this.#limits = spotLimits(wanted, spotFleet(snapshot.nodeClaims), snapshot.settings.spotSpreadShare);
  }

  /** Undefined: not known. */
  freeAddresses(subnetId: string): number | undefined {
    return this.#free.get(subnetId);
  }

  takeAddresses(subnetId: string, addresses: number): void {
    const free = this.#free.get(subnetId);
    if (free !== undefined) this.#free.set(subnetId, Math.max(0, free - addresses));
  }

  /** How many nodes of the group the spread over spot pools (design §4.1, step 7) lets an offering have yet. */
  spreadRoom(group: LaunchGroup, offering: RankedOffering): number {
    const own = new Set(group.members.filter(isWanting).map(({ name }) => name));
    const others = [...this.#places].filter(([name, { offering: other }]) => !own.has(name) && isSame(other, offering));
    const ofPool = others.filter(([, { nodePool }]) => nodePool === group.nodePool).length;
    const held = this.#limits.held.get(inPool(group.nodePool, offering)) ?? 0;
    return Math.min(this.#limits.ofPlan - others.length, this.#limits.ofPool(group.nodePool) - ofPool - held);
  }

  /** Takes over what a group's step has changed. */
  follow(before: LaunchSituation, step: LaunchStep, after: LaunchSituation, perNode: number): void {
    this.unavailable = after.unavailable;
    this.budget = after.budget;
    if (step.kind !== "assign") return;
    this.takeAddresses(step.record.subnetId, step.pairs.length * perNode);
    const { nodePool, offerings } = before.group;
    const offering = offerings.find((one) => isSame(one, step.record));
    if (offering === undefined) return;
    for (const pair of step.pairs) this.#places.set(pair.nodeClaim, { nodePool, offering });
  }
}

function isSame(
  a: Pick<RankedOffering, "instanceType" | "zone" | "capacityType">,
  b: Pick<RankedOffering, "instanceType" | "zone" | "capacityType">,
): boolean {
  return inPlan(a) === inPlan(b) && a.capacityType === b.capacityType;
}
