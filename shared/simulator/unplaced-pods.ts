import * as z from "zod";
import type { RecordingTelemetry } from "./telemetry-port.ts";
import type { Timeline } from "./timeline.ts";

const namesListed = 6;

const unschedulablePods = z.array(
  z.object({ pod: z.string(), reasons: z.array(z.object({ nodePool: z.string(), reason: z.string() })) }),
);
type UnschedulablePod = z.infer<typeof unschedulablePods>[number];

/** Tells why pods wait: what the planner says of those that it finds no place for, once for each pod and reason. */
export class UnplacedPods {
  readonly #telemetry: RecordingTelemetry;
  readonly #timeline: Timeline;
  readonly #told = new Set<string>();
  #linesRead = 0;

  constructor(telemetry: RecordingTelemetry, timeline: Timeline) {
    this.#telemetry = telemetry;
    this.#timeline = timeline;
  }

  /** Adds what the planner has said since the last time. */
  record(): void {
    const { lines } = this.#telemetry;
    for (; this.#linesRead < lines.length; this.#linesRead++) {
      const line = lines[this.#linesRead];
      if (line?.message !== "plan") continue;
      const listed = unschedulablePods.safeParse(line.fields.unschedulable);
      if (listed.success) this.#tell(listed.data);
    }
  }

  #tell(pods: readonly UnschedulablePod[]): void {
    const news = pods.filter((entry) => !this.#told.has(storyOf(entry)));
    for (const entry of news) this.#told.add(storyOf(entry));
    for (const [reasons, group] of Map.groupBy(news, reasonsText)) {
      const names = group.map(({ pod }) => pod);
      const listed = names.slice(0, namesListed).join(", ");
      const more = names.length > namesListed ? ` and ${names.length - namesListed} more` : "";
      this.#timeline.add(
        "no place",
        `${names.length} pod${names.length === 1 ? "" : "s"}: ${listed}${more}: ${reasons}`,
      );
    }
  }
}

/** Reasons that differ in a figure alone, such as the price that a limit is compared with, are the same story. */
function storyOf(entry: UnschedulablePod): string {
  return `${entry.pod}: ${reasonsText(entry).replace(/\d+(\.\d+)?/g, "#")}`;
}

function reasonsText({ reasons }: UnschedulablePod): string {
  return reasons.map(({ nodePool, reason }) => (nodePool === "" ? reason : `${nodePool}: ${reason}`)).join("; ");
}
