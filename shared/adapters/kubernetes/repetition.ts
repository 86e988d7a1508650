import type { IncomingHttpHeaders } from "node:http";
import { type Answer, ConnectionLost } from "./exchange.ts";

export interface Repetition {
  readonly request: { readonly withinMilliseconds?: number; readonly retryThrottled?: boolean };
  /** Sends once, and has no longer for it than this. */
  readonly send: (milliseconds: number) => Promise<Answer>;
  /** Whether it may be done twice. */
  readonly isRepeatable: boolean;
  /** The next token must be a new one. */
  readonly renew: () => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const defaultWithinMilliseconds = 30_000;
const throttledRetries = 2;
const longestWaitSeconds = 2;
const faultRetries = 2;
const faultWaitMilliseconds = 250;

/**
 * Sends until there is an answer that no repetition changes, or no time is left for one: once more after a 401, with a new token; twice
 * after a 429, which the server gives before it does anything; and twice after a 5xx or a lost connection if that may be done.
 */
export async function settledAnswer({ request, send, isRepeatable, renew, sleep }: Repetition): Promise<Answer> {
  const deadlineAt = performance.now() + (request.withinMilliseconds ?? defaultWithinMilliseconds);
  const left = () => Math.max(1, deadlineAt - performance.now());
  let [renewed, throttled, faults] = [false, 0, 0];
  for (;;) {
    const outcome = await attempt(() => send(left()));
    const faultWait = faultWaitMilliseconds * 2 ** faults;
    if (isFault(outcome) && isRepeatable && faults < faultRetries && faultWait < left()) {
      faults += 1;
      await sleep(faultWait);
      continue;
    }
    if (outcome instanceof ConnectionLost) throw outcome;
    if (outcome.status === 401 && !renewed) {
      renewed = true;
      renew();
      continue;
    }
    const wait = 1_000 * Math.min(retryAfterSeconds(outcome.headers), longestWaitSeconds);
    const mayWait = request.retryThrottled !== false && throttled < throttledRetries && wait < left();
    if (outcome.status !== 429 || !mayWait) return outcome;
    throttled += 1;
    await sleep(wait);
  }
}

/** A lost connection is an outcome to decide about; any other failure ends the call. */
async function attempt(send: () => Promise<Answer>): Promise<Answer | ConnectionLost> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ConnectionLost) return error;
    throw error;
  }
}

function isFault(outcome: Answer | ConnectionLost): boolean {
  return outcome instanceof ConnectionLost || outcome.status >= 500;
}

function retryAfterSeconds(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) ? seconds : 1;
}
