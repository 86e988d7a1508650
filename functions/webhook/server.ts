import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AdmissionAnswer, admit } from "./admission.ts";
import { admissionReview } from "./admission-review.ts";
import type { WebhookMetrics } from "./metrics.ts";

export interface WebhookServerOptions {
  readonly certificate: ServingCertificate;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly offer: (events: AdmissionAnswer["events"]) => void;
  /** Why the API server should not call this replica; undefined when it should. */
  readonly fault: () => string | undefined;
  /** No connection is to be used again: the replica is about to end. */
  readonly isLeaving: () => boolean;
  readonly metrics: Pick<WebhookMetrics, "answered" | "page">;
}

/** PEM texts. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** An AdmissionReview carries an object twice, each at most 1.5 MiB in etcd but larger as JSON. */
const bodyLimitBytes = 16 * 1024 * 1024;

const connections = {
  /** Longer than the 90 s that the API server keeps an idle connection: it is the one to end it, never while a review is on its way. */
  keepAliveTimeout: 120_000,
  /** The API server gives up after one second; a client that dribbles is none. */
  headersTimeout: 5_000,
  requestTimeout: 5_000,
};

/** The webhook's HTTPS server: `POST /admit`, `GET /healthz`, `GET /readyz`, `GET /metrics`. The caller listens and closes. */
export function webhookServer(options: WebhookServerOptions): Server {
  const { certificate, privateKey } = options.certificate;
  const tls = { cert: certificate, key: privateKey, minVersion: "TLSv1.2" } as const;
  return createServer({ ...tls, ...connections }, (request, response) => {
    if (options.isLeaving()) response.setHeader("connection", "close");
    route(options, request, response).catch((error: unknown) => {
      // Nothing we do may hold up a request of the API server: any failure is an answer.
      if (!response.headersSent) reply(response, 500, String(error));
      else response.destroy();
    });
  });
}

/** Serves a renewed certificate to new connections; the old ones live on. */
export function reloadCertificate(server: Server, { certificate, privateKey }: ServingCertificate): void {
  server.setSecureContext({ cert: certificate, key: privateKey, minVersion: "TLSv1.2" });
}

async function route(options: WebhookServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? "/", "https://webhook").pathname;
  if (request.method === "POST" && path === "/admit") return admitRequest(options, request, response);
  if (request.method === "GET" && path === "/healthz") return reply(response, 200, "ok");
  if (request.method === "GET" && path === "/readyz") {
    const fault = options.fault();
    return reply(response, fault === undefined ? 200 : 503, fault ?? "ok");
  }
  if (request.method === "GET" && path === "/metrics") return reply(response, 200, await options.metrics.page());
  return reply(response, 404, "no such path");
}

/** Answers first and forwards afterwards: kube-scheduler stands still until it has the answer. */
async function admitRequest(
  options: WebhookServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const startedAt = performance.now();
  if (body === undefined) return reply(response, 413, `the body is larger than ${bodyLimitBytes} bytes`);
  const review = admissionReview.safeParse(parseJson(body));
  if (!review.success) return reply(response, 400, "expected an AdmissionReview of admission.k8s.io/v1");
  const { response: answer, events } = admit(review.data, options.now());
  reply(response, 200, JSON.stringify(answer), "application/json");
  options.offer(events);
  options.metrics.answered((performance.now() - startedAt) / 1000);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > bodyLimitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, status: number, body: string, contentType = "text/plain"): void {
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
