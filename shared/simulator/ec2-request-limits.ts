import { Ec2ApiError } from "./ec2-api-error.ts";

/** The EC2 calls that are simulated: those that read, and those that change something. */
export type Ec2Api =
  | "DescribeInstances"
  | "DescribeInstanceStatus"
  | "DescribeInstanceTypes"
  | "DescribeInstanceTypeOfferings"
  | "DescribeAvailabilityZones"
  | "DescribeSpotPriceHistory"
  | "DescribeSubnets"
  | "DescribeSecurityGroups"
  | "DescribeImages"
  | "DescribeCapacityReservations"
  | "DescribePlacementGroups"
  | "GetSpotPlacementScores"
  | "RunInstances"
  | "TerminateInstances"
  | "CreateTags";

interface Limit {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** Request and resource token buckets of one account and region (serverless-aws §2, "Throttling"). */
function limitsOf(api: Ec2Api): { readonly requests: Limit; readonly resources?: Limit } {
  switch (api) {
    case "RunInstances":
      return {
        requests: { capacity: 5, refillPerSecond: 2 },
        resources: { capacity: 1000, refillPerSecond: 2 },
      };
    case "TerminateInstances":
      return {
        requests: { capacity: 100, refillPerSecond: 5 },
        resources: { capacity: 1000, refillPerSecond: 20 },
      };
    case "CreateTags":
      return { requests: { capacity: 100, refillPerSecond: 10 } };
    default:
      return { requests: { capacity: 100, refillPerSecond: 20 } };
  }
}

/** A bucket of tokens that refills continuously. */
export class TokenBucket {
  readonly #limit: Limit;
  #tokens: number;
  #filledAt: number;

  constructor(limit: Limit, now: number) {
    this.#limit = limit;
    this.#tokens = limit.capacity;
    this.#filledAt = now;
  }

  available(now: number): number {
    const refilled = ((now - this.#filledAt) / 1000) * this.#limit.refillPerSecond;
    return Math.min(this.#limit.capacity, this.#tokens + refilled);
  }

  /** Takes all of them, or none and says false. */
  take(count: number, now: number): boolean {
    const available = this.available(now);
    if (available < count) {
      return false;
    }
    this.#tokens = available - count;
    this.#filledAt = now;
    return true;
  }
}

export class RequestLimits {
  readonly #buckets = new Map<string, TokenBucket>();

  /** One request token. Throws `RequestLimitExceeded`. */
  takeRequest(api: Ec2Api, now: number): void {
    this.#take(api, "requests", 1, now);
  }

  /** One token for each instance that the call starts or ends. Throws `RequestLimitExceeded`. */
  takeResources(api: Ec2Api, count: number, now: number): void {
    this.#take(api, "resources", count, now);
  }

  #take(api: Ec2Api, kind: "requests" | "resources", count: number, now: number): void {
    const limit = limitsOf(api)[kind];
    if (limit === undefined) return;
    const key = `${api} ${kind}`;
    const bucket = this.#buckets.get(key) ?? new TokenBucket(limit, now);
    this.#buckets.set(key, bucket);
    if (!bucket.take(count, now)) {
      throw new Ec2ApiError("RequestLimitExceeded", `Request limit exceeded. (${api}, ${kind})`);
    }
  }
}
