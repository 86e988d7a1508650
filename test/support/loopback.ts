import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type CertificateSet, createCertificates } from "../../functions/webhook/certificates.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string or a buffer as it is. */
  readonly body?: object | string | Buffer;
}

export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** `cut`: the connection is closed without an answer. */
export type Outcome = ScriptedAnswer | "cut";

type Answer = (request: ReceivedRequest) => Outcome | Promise<Outcome>;

/** An HTTP server on 127.0.0.1 that answers as told and remembers what it was asked. */
export function httpLoopback(answer: Answer): Promise<LoopbackServer> {
  return start("http", answer, (listener) => createHttpServer(listener));
}

/** The same over TLS, as an API server. */
export function httpsLoopback(
  answer: Answer,
  certificates: CertificateSet = loopbackCertificates(),
): Promise<LoopbackServer> {
  const { certificate, privateKey } = certificates;
  return start("https", answer, (listener) => createHttpsServer({ cert: certificate, key: privateKey }, listener));
}

export function loopbackCertificates(): CertificateSet {
  const day = 86_400_000;
  const [notBefore, notAfter] = [new Date(Date.now() - day), new Date(Date.now() + day)];
  return createCertificates({ dnsNames: ["localhost"], ipv4Addresses: ["127.0.0.1"], notBefore, notAfter });
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function start(
  scheme: "http" | "https",
  answer: Answer,
  create: (listener: RequestListener) => Server,
): Promise<LoopbackServer> {
  const requests: ReceivedRequest[] = [];
  const server = create(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", headers } = request;
    const received = { method, headers, body, url: new URL(request.url ?? "/", "http://loopback") };
    requests.push(received);
    const outcome = await answer(received);
    if (outcome === "cut") {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers: answerHeaders = {}, body: answerBody = "" } = outcome;
    response.writeHead(status, { ...answerHeaders });
    const isRaw = typeof answerBody === "string" || Buffer.isBuffer(answerBody);
    response.end(isRaw ? answerBody : JSON.stringify(answerBody));
  });
  const port = await listen(server);
  return { url: `${scheme}://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: () => close(server) };
}
