import type { PlacementScoreRequest, Zone } from "../account-ports.ts";
import { Ec2ApiError } from "./ec2-api-error.ts";

/** New configurations that one account may ask for in a day; one that it used within the day is free (serverless-aws §1). */
const configurationsPerDay = 10;
const dayMilliseconds = 86_400_000;
/** With fewer types EC2 scores low whatever room there is (serverless-aws §1). */
const fewestTypes = 3;

export interface PlacementScoreModel {
  readonly zones: readonly Zone[];
  /** How many spot instances of the type the zone would give now. */
  room(instanceType: string, zone: string): number;
  /** Highest target that the account may ask for. */
  readonly maxTargetCapacity: number;
}

/** GetSpotPlacementScores for the zones of one region, with the account's quota. */
export class PlacementScores {
  readonly #model: PlacementScoreModel;
  /** When each configuration was last used. */
  readonly #usedAt = new Map<string, number>();

  constructor(model: PlacementScoreModel) {
    this.#model = model;
  }

  /**
   * Scores 1 to 10 by zone id, ten zones at most. Throws `MaxConfigLimitExceeded` for the eleventh configuration of a day and
   * `TargetCapacityLimitExceeded` above the account's target.
   */
  scores(request: PlacementScoreRequest, now: number): ReadonlyMap<string, number> {
    const { zones, maxTargetCapacity } = this.#model;
    if (request.targetCapacity > maxTargetCapacity) {
      const message = `The target capacity ${request.targetCapacity} is above the limit of ${maxTargetCapacity}.`;
      throw new Ec2ApiError("TargetCapacityLimitExceeded", message);
    }
    this.#useConfiguration(request, now);
    const scored = zones.map(({ name, id }) => [id, this.#score(request, name)] as const);
    return new Map(scored.sort(([, a], [, b]) => b - a).slice(0, 10));
  }

  #useConfiguration({ instanceTypes, targetCapacity }: PlacementScoreRequest, now: number): void {
    const key = `${[...instanceTypes].sort().join(" ")} x ${targetCapacity}`;
    for (const [used, at] of this.#usedAt) {
      if (now - at >= dayMilliseconds) this.#usedAt.delete(used);
    }
    if (!this.#usedAt.has(key) && this.#usedAt.size >= configurationsPerDay) {
      const message =
        "You have exceeded your maximum allowed Spot placement configurations. You can retry configurations that you used within " +
        "the last 24 hours, or wait for 24 hours before specifying a new configuration.";
      throw new Ec2ApiError("MaxConfigLimitExceeded", message);
    }
    this.#usedAt.set(key, now);
  }

  /** The better, the more of the types could give the whole target by themselves. */
  #score({ instanceTypes, targetCapacity }: PlacementScoreRequest, zone: string): number {
    const distinct = [...new Set(instanceTypes)];
    if (distinct.length < fewestTypes) return 1;
    const able = distinct.filter((type) => this.#model.room(type, zone) >= targetCapacity).length;
    return Math.max(1, Math.round((10 * able) / distinct.length));
  }
}
