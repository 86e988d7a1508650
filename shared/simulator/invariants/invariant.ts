import { formatTime } from "../../api/time.ts";
import type { ApiServer } from "../api-server.ts";
import type { SimulatedEc2 } from "../ec2.ts";
import type { EventLoop } from "../event-loop.ts";
import type { SimulatedMessaging } from "../simulated-queues.ts";
import type { SimulatedWorld } from "../simulated-world.ts";
import type { InvariantVerdict } from "../simulation-result.ts";
import type { RecordingTelemetry } from "../telemetry-port.ts";

/** A property of every run (design §7). A checker judges what the world shows and shares no code with what it judges. */
export interface Invariant {
  readonly name: string;
  /** Called each virtual second and after the run. */
  check(): void;
  /** Called once, when the run is over and should have come to rest. */
  atEnd?(): void;
  verdict(): InvariantVerdict;
}

/** What checkers see of the {@link SimulatedWorld}: the truth, without the delays that the functions live with. */
export interface ObservedWorld {
  readonly loop: Pick<EventLoop, "now" | "schedule">;
  readonly cluster: { readonly server: ApiServer };
  readonly ec2: Pick<SimulatedEc2, "instances">;
  readonly messaging: Pick<SimulatedMessaging, "queues" | "deadLetters">;
  readonly telemetry: Pick<RecordingTelemetry, "lines">;
  readonly bugs: SimulatedWorld["bugs"];
}

interface Violation {
  /** Kind and name of the objects in question. */
  readonly objects: string;
  readonly seen: string;
  readonly allowed: string;
}

export type Report = (violation: Violation) => void;

interface Checks {
  readonly check?: () => void;
  readonly atEnd?: () => void;
}

/** An invariant that keeps the first violation and, once broken, looks no further. */
export function invariant(name: string, world: ObservedWorld, start: (report: Report) => Checks): Invariant {
  let detail = "";
  const checks = start(({ objects, seen, allowed }) => {
    if (detail === "") detail = `${formatTime(world.loop.now())} ${objects}: ${seen}; allowed: ${allowed}`;
  });
  const unlessBroken = (run: () => void) => () => {
    if (detail === "") run();
  };
  const { check = () => {}, atEnd } = checks;
  return {
    name,
    check: unlessBroken(check),
    ...(atEnd === undefined ? {} : { atEnd: unlessBroken(atEnd) }),
    verdict: () => ({ name, holds: detail === "", detail }),
  };
}
