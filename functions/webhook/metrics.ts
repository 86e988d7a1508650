import { Counter, Registry } from "prom-client";
import type { ForwarderCounters } from "./forwarder.ts";

/** The forwarder's counters for Prometheus. */
export function webhookRegistry(counters: Readonly<ForwarderCounters>): Registry {
  const registry = new Registry();
  const names: readonly (keyof ForwarderCounters)[] = ["offered", "accepted", "rejected", "dropped"];
  new Counter({
    name: "journeyman_webhook_events_total",
    help: "Events by what became of them: offered by admission, accepted or rejected by the bus, dropped for want of room.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of names) this.inc({ outcome }, counters[outcome]);
    },
  });
  return registry;
}
