import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Dimensions, TelemetryPort } from "../ports.ts";

export interface TelemetryOptions {
  readonly service: string;
  readonly clusterName: string;
  readonly metricNamespace: string;
  readonly logLevel: "DEBUG" | "INFO" | "WARN" | "ERROR";
}

export interface Telemetry extends TelemetryPort {
  /** Writes the counted metrics, one CloudWatch record for each set of dimensions. Called once at the end of an invocation. */
  flush(): void;
}

/** Structured logs and CloudWatch metrics (EMF) on standard output. */
export function telemetry(options: TelemetryOptions): Telemetry {
  const logger = new Logger({
    serviceName: options.service,
    logLevel: options.logLevel,
    persistentKeys: { cluster: options.clusterName },
  });
  const metrics = new Metrics({
    namespace: options.metricNamespace,
    serviceName: options.service,
    defaultDimensions: { cluster: options.clusterName },
  });
  const counters = new Map<string, Counter>();
  return {
    count(metric, value, dimensions = {}) {
      const key = JSON.stringify([metric, Object.entries(dimensions).sort()]);
      counters.set(key, { metric, dimensions, value: (counters.get(key)?.value ?? 0) + value });
    },
    log(level, message, fields = {}) {
      logger[level](message, redact(fields));
    },
    flush() {
      for (const group of Map.groupBy(counters.values(), dimensionsKey).values()) publish(metrics, group);
      counters.clear();
    },
  };
}

interface Counter {
  readonly metric: string;
  readonly dimensions: Dimensions;
  readonly value: number;
}

function dimensionsKey(counter: Counter): string {
  return JSON.stringify(Object.entries(counter.dimensions).sort());
}

function publish(metrics: Metrics, counters: readonly Counter[]): void {
  metrics.addDimensions({ ...counters[0]?.dimensions });
  for (const { metric, value } of counters) metrics.addMetric(metric, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
}

/** Fields that may hold secrets, in lower case. User data is one: people put credentials there. */
const secretFields: ReadonlySet<string> = new Set([
  "token",
  "authorization",
  "userdata",
  "env",
  "environment",
  "privatekey",
]);

/** A copy that is safe to log: secrets blanked at any depth, errors as plain objects. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      secretFields.has(key.toLowerCase()) ? "[redacted]" : redactValue(value),
    ]),
  );
}

function redactValue(value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value === "object" && value !== null) return redact({ ...value });
  return value;
}

/** The SDK hangs whole requests on its errors, so only named fields are taken. */
function describeError(error: Error): Record<string, unknown> {
  return {
    name: error.name,
    message: error.message,
    ...("kind" in error && { kind: error.kind }),
    ...("code" in error && { code: error.code }),
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
  };
}
