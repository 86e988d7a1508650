import type { Dimensions, TelemetryPort } from "../ports.ts";

interface LogLine {
  readonly at: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps metrics and log lines for assertions and reports. */
export class RecordingTelemetry implements TelemetryPort {
  readonly lines: LogLine[] = [];
  readonly #now: () => number;
  readonly #totals = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  count(metric: string, value: number, _dimensions?: Dimensions): void {
    this.#totals.set(metric, this.total(metric) + value);
  }

  log(level: LogLine["level"], message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ at: this.#now(), level, message, fields });
  }

  /** Sum over all dimensions. */
  total(metric: string): number {
    return this.#totals.get(metric) ?? 0;
  }
}
