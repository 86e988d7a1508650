import * as z from "zod";
import { formatTime } from "../api/time.ts";
import { storedJson, storedTime } from "./stored-facts.ts";

/**
 * What may still be asked of EC2: RunInstances has a bucket of 5 requests, refilled at 2 per second, and one of 1,000 instances,
 * refilled at 2 per second, both of the account and region (serverless-aws §2). First attempts and retries draw on the same.
 */
export interface RequestBudget {
  readonly requests: number;
  readonly instances: number;
  /** When the two figures held. */
  readonly at: number;
}

const limits = { requests: 5, instances: 1_000 };
const refillPerSecond = 2;

/** Of the planner's Lease: where the budget is kept between passes. */
export const budgetAnnotation = "journeyman.sh/request-budget";

export function fullBudget(now: number): RequestBudget {
  return { ...limits, at: now };
}

export function refilled({ requests, instances, at }: RequestBudget, now: number): RequestBudget {
  const added = (Math.max(0, now - at) / 1_000) * refillPerSecond;
  return {
    requests: Math.min(limits.requests, requests + added),
    instances: Math.min(limits.instances, instances + added),
    at: Math.max(at, now),
  };
}

/**
 * What is left after one call. `now` is when its answer came: EC2 has counted it before, and refills from then on, so that we never
 * think there is more than there is.
 */
export function afterCall(budget: RequestBudget, instances: number, now: number): RequestBudget {
  const before = refilled(budget, now);
  return { ...before, requests: before.requests - 1, instances: Math.max(0, before.instances - instances) };
}

/** After a refusal for want of tokens: others in the account draw on the bucket too. */
export function drained(budget: RequestBudget, now: number): RequestBudget {
  return { ...refilled(budget, now), requests: 0 };
}

/** What a pass may use at most, taken in advance: a pass that crashes does not say what it has used. */
export function reserved(budget: RequestBudget, instances: number, now: number): RequestBudget {
  const before = refilled(budget, now);
  return { ...before, requests: 0, instances: Math.max(0, before.instances - instances) };
}

/** Seconds until one call may be sent that starts at least one instance; 0 when it may be now. */
export function secondsUntilCall(budget: RequestBudget, now: number): number {
  const { requests, instances } = refilled(budget, now);
  return Math.max(0, Math.ceil((1 - Math.min(requests, instances)) / refillPerSecond));
}

const storedBudget = storedJson(z.object({ at: storedTime, requests: z.number(), instances: z.number() }));

/** As an annotation holds it. */
export function formatBudget({ at, requests, instances }: RequestBudget): string {
  const rounded = (tokens: number) => Math.floor(tokens * 100) / 100;
  return JSON.stringify({ at: formatTime(at), requests: rounded(requests), instances: rounded(instances) });
}

/**
 * A full budget where there is none that can be read: nobody has launched yet. One of the future, by a clock that was ahead, is one of now:
 * else nothing would be refilled, and nothing launched, until then.
 */
export function parseBudget(text: string | undefined, now: number): RequestBudget {
  const parsed = storedBudget.safeParse(text);
  return parsed.success ? { ...parsed.data, at: Math.min(parsed.data.at, now) } : fullBudget(now);
}
