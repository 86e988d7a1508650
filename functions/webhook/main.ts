import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { composeWebhook } from "../../shared/runtime/compose-webhook.ts";
import { forwarder } from "./forwarder.ts";
import { webhookRegistry } from "./metrics.ts";
import { reloadCertificate, type ServingCertificate, webhookServer } from "./server.ts";

const flushMilliseconds = 100;
const reloadMilliseconds = 60_000;

/** The in-cluster process: stateless, so that any number of replicas and any restart do no harm. */
async function main(): Promise<void> {
  const { config, bus } = composeWebhook();
  const events = forwarder({ send: bus.send, now: Date.now });
  const registry = webhookRegistry(events.counters);
  let certificate = await readCertificate(config.tlsDirectory);
  const server = webhookServer({
    certificate,
    now: Date.now,
    offer: events.offer,
    metrics: () => registry.metrics(),
  });
  const flushing = setInterval(() => void events.flush(), flushMilliseconds);
  const reloading = setInterval(async () => {
    const found = await readCertificate(config.tlsDirectory).catch(() => certificate);
    if (found.certificate === certificate.certificate) return;
    certificate = found;
    reloadCertificate(server, certificate);
  }, reloadMilliseconds);
  server.listen(config.port, () => console.log(JSON.stringify({ message: "listening", address: server.address() })));
  process.once("SIGTERM", () => {
    clearInterval(flushing);
    clearInterval(reloading);
    server.close(() => void events.flush());
    server.closeIdleConnections();
  });
}

/** As a mounted Secret of type kubernetes.io/tls has them. */
async function readCertificate(directory: string): Promise<ServingCertificate> {
  const [certificate, privateKey] = await Promise.all([
    readFile(join(directory, "tls.crt"), "utf8"),
    readFile(join(directory, "tls.key"), "utf8"),
  ]);
  return { certificate, privateKey };
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
