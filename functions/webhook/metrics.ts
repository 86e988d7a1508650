import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type GaugeSample, gaugeHelp } from "../../shared/controllers/cluster-gauges.ts";
import type { Forwarder, ForwarderCounters } from "./forwarder.ts";

export interface WebhookMetricsOptions {
  readonly events: Pick<Forwarder, "counters" | "length">;
  readonly isReady: () => boolean;
  /** Of the certificate that is served, epoch milliseconds. */
  readonly expiresAt: () => number | undefined;
  /** The state of NodePools and NodeClaims. May fail: the webhook's own metrics are told all the same. */
  readonly clusterGauges: () => Promise<readonly GaugeSample[]>;
}

export interface WebhookMetrics {
  /** How long an AdmissionReview took from its last byte to its answer. */
  answered(seconds: number): void;
  /** The page for Prometheus. */
  page(): Promise<string>;
}

/** What Prometheus reads from the webhook: its own state, and the cluster's as Karpenter names it. */
export function webhookMetrics(options: WebhookMetricsOptions): WebhookMetrics {
  const registers = [new Registry()];
  const answers = new Histogram({
    name: "journeyman_webhook_answer_duration_seconds",
    help: "From the last byte of an AdmissionReview to its answer.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1],
    registers,
  });
  ownGauges(options, registers);
  const failures = new Counter({
    name: "journeyman_webhook_cluster_read_failures_total",
    help: "Times that NodePools and NodeClaims could not be read for this page.",
    registers,
  });
  const cluster = Object.entries(gaugeHelp).map(([name, help]) => {
    const labelNames = labelsOf(name);
    return { name, gauge: new Gauge({ name, help, labelNames, registers }) };
  });

  return {
    answered: (seconds) => answers.observe(seconds),
    async page() {
      const samples = await options.clusterGauges().catch(() => {
        failures.inc();
        return [];
      });
      for (const { name, gauge } of cluster) {
        gauge.reset();
        for (const sample of samples) if (sample.name === name) gauge.set(sample.labels, sample.value);
      }
      return (await Promise.all(registers.map((registry) => registry.metrics()))).join("");
    },
  };
}

const outcomes: readonly (keyof ForwarderCounters)[] = ["offered", "accepted", "rejected", "dropped"];

function ownGauges({ events, isReady, expiresAt }: WebhookMetricsOptions, registers: Registry[]): void {
  new Counter({
    name: "journeyman_webhook_events_total",
    help: "Events by what became of them: offered by admission, accepted or rejected by the bus, dropped for want of room.",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset();
      for (const outcome of outcomes) this.inc({ outcome }, events.counters[outcome]);
    },
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge("journeyman_webhook_queue_length", "Events that wait for the bus.", () => events.length);
  gauge("journeyman_webhook_ready", "1 while the API server can call this replica.", () => Number(isReady()));
  gauge(
    "journeyman_webhook_certificate_expiry_timestamp_seconds",
    "When the certificate that is served expires; 0 without one.",
    () => (expiresAt() ?? 0) / 1000,
  );
}

function labelsOf(name: string): string[] {
  if (name.startsWith("karpenter_nodepools_")) return ["nodepool", "resource_type"];
  return name.includes("_status_condition_")
    ? ["name", "namespace", "type", "status", "reason"]
    : ["name", "namespace"];
}
