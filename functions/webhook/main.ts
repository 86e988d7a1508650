import { setTimeout as sleep } from "node:timers/promises";
import { clusterGauges } from "../../shared/controllers/cluster-gauges.ts";
import { composeWebhook } from "../../shared/runtime/compose-webhook.ts";
import { cached } from "./cached.ts";
import { type CertificateKeeper, certificateKeeper } from "./certificate-keeper.ts";
import { createCertificates } from "./certificates.ts";
import { drain } from "./drain.ts";
import { forwarder } from "./forwarder.ts";
import { webhookMetrics } from "./metrics.ts";
import { reloadCertificate, webhookServer } from "./server.ts";

const flushMilliseconds = 100;
const passMilliseconds = 30_000;
const retryMilliseconds = 2_000;
/** Prometheus asks each replica several times a minute; the API server need not be asked as often. */
const gaugesMilliseconds = 30_000;

/** The in-cluster process: stateless, so that any number of replicas and any restart do no harm. */
async function main(): Promise<void> {
  const { config, bus, store, kubernetes } = await composeWebhook();
  const { dnsNames } = config;
  const now = Date.now;
  const events = forwarder({ send: bus.send, now });
  let isLeaving = false;
  const fault = () => (isLeaving ? "this replica is ending" : keeper.fault());
  const metrics = webhookMetrics({
    events,
    isReady: () => fault() === undefined,
    expiresAt: () => keeper.expiresAt(),
    clusterGauges: cached(() => clusterGauges(kubernetes, now()), gaugesMilliseconds, now),
  });
  // Until the shared certificate is there: only the kubelet's probes, which trust any, come before.
  const certificate = createCertificates({ dnsNames, notBefore: new Date(), notAfter: new Date(now() + 3_600_000) });
  const server = webhookServer({ certificate, now, offer: events.offer, fault, isLeaving: () => isLeaving, metrics });
  const keeper = certificateKeeper({
    store,
    dnsNames,
    now,
    log,
    serve: (renewed) => {
      reloadCertificate(server, renewed);
      log("serving", { expiresAt: new Date(keeper.expiresAt() ?? 0).toISOString() });
    },
  });
  server.listen(config.port, () => log("listening", { address: server.address() }));
  const flushing = setInterval(() => void events.flush(), flushMilliseconds);
  const ending = new AbortController();
  const keeping = keepCertificate(keeper, ending.signal);
  process.once("SIGTERM", async () => {
    isLeaving = true;
    ending.abort();
    clearInterval(flushing);
    const wait = (milliseconds: number) => sleep(milliseconds, undefined);
    const isDone = await drain({ server, events, now, sleep: wait, settleMilliseconds: config.drainMilliseconds });
    await keeping;
    log("ended", { left: isDone ? 0 : events.length });
    process.exit(0);
  });
}

/** Looks at the certificate twice a minute, and soon again when that failed. */
async function keepCertificate(keeper: CertificateKeeper, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const failure = await keeper.pass().then(
      () => undefined,
      (error: unknown) => error,
    );
    const fault = keeper.fault();
    if (failure !== undefined) log("the certificate could not be looked after", { error: String(failure) });
    else if (fault !== undefined) log("not ready", { fault });
    const pause = failure === undefined && fault === undefined ? passMilliseconds : retryMilliseconds;
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

function log(message: string, fields: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify({ message, ...fields }));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
