import * as z from "zod";
import { formatTime } from "../api/time.ts";
import type { Ec2ErrorClass } from "./ec2-errors.ts";
import { storedJson, storedTime } from "./stored-facts.ts";

/**
 * The circuit breaker of one NodePool: its launches meet with an error that only a person can mend, so that they are tried ever more
 * rarely, and other NodePools are served meanwhile (field-scenarios B3.03).
 */
export interface LaunchBreaker {
  readonly nodePool: string;
  /** In a row. */
  readonly failures: number;
  readonly openedAt: number;
  /** Until then nothing is launched; after that one launch is tried. */
  readonly untilAt: number;
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

const firstRestSeconds = 60;
const longestRestSeconds = 3_600;
const mostMessageLength = 500;

/** The breaker after one more failure: 60 s, doubled each time, one hour at most. */
export function openedBreaker(
  before: LaunchBreaker | undefined,
  nodePool: string,
  error: Pick<Ec2ErrorClass, "code" | "reason"> & { readonly message: string },
  now: number,
): LaunchBreaker {
  const failures = (before?.failures ?? 0) + 1;
  const seconds = Math.min(longestRestSeconds, firstRestSeconds * 2 ** Math.min(10, failures - 1));
  const message = error.message.slice(0, mostMessageLength);
  const { code, reason } = error;
  return { nodePool, failures, openedAt: now, untilAt: now + seconds * 1_000, code, reason, message };
}

export function isOpen(breaker: LaunchBreaker | undefined, now: number): boolean {
  return breaker !== undefined && now < breaker.untilAt;
}

/** Whether a launch that EC2 accepts is proof enough: what an instance dies of later shows only when one has become a node. */
export function closesAtLaunch({ code }: LaunchBreaker): boolean {
  return !/^((Client|Server)\.|RegistrationFailed$)/.test(code);
}

/** For the condition on the NodePool. */
export function describeBreaker({ failures, code, message, untilAt }: LaunchBreaker): string {
  const times = failures === 1 ? "The last launch" : `The last ${failures} launches`;
  return `${times} failed: ${code}: ${message}; the next is tried at ${formatTime(untilAt)}`;
}

const storedBreaker = storedJson(
  z.object({
    failures: z.number().int().min(1),
    openedAt: storedTime,
    until: storedTime,
    code: z.string(),
    reason: z.string(),
    message: z.string(),
  }),
);

/** The ConfigMap's value; its key is the NodePool's name. */
export function formatBreaker({ failures, openedAt, untilAt, code, reason, message }: LaunchBreaker): string {
  const times = { openedAt: formatTime(openedAt), until: formatTime(untilAt) };
  return JSON.stringify({ failures, ...times, code, reason, message });
}

/** Undefined when the value is none. */
export function parseBreaker(nodePool: string, value: string): LaunchBreaker | undefined {
  const parsed = storedBreaker.safeParse(value);
  if (!parsed.success) return undefined;
  const { until, ...fact } = parsed.data;
  return { nodePool, ...fact, untilAt: until };
}
