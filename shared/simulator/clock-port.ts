import type { ClockPort } from "../ports.ts";
import type { EventLoop } from "./event-loop.ts";

/** Virtual time outside any invocation: nothing ever kills it. `invocationPorts` gives each invocation its own. */
export function simulatedClock(loop: EventLoop, requestId: string): ClockPort {
  return {
    now: () => loop.now(),
    sleep: (milliseconds) => loop.sleep(milliseconds),
    remainingMilliseconds: () => Number.MAX_SAFE_INTEGER,
    requestId: () => requestId,
  };
}
