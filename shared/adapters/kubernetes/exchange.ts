import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { promisify } from "node:util";
import { createGunzip, gunzip } from "node:zlib";
import { ProviderError } from "../../ports.ts";
import { connectionAdvice } from "./connection-advice.ts";
import { cutArrays } from "./cut-arrays.ts";

/** One request as it goes out. */
export interface Outgoing {
  readonly url: URL;
  readonly options: RequestOptions;
  readonly body: string | undefined;
  /** All of the exchange, from the connection to the last byte. */
  readonly withinMilliseconds: number;
  /** Arrays of the answer, by key, whose content is left out. */
  readonly without: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** JSON where the server sent JSON, else text. */
  readonly body: unknown;
}

/** No connection came about, so that the request is certain not to have arrived: it may be sent again, elsewhere too. */
export class ConnectionFailed extends ProviderError {}

/** The connection broke under way: whether the server has done what it was asked is not known. */
export class ConnectionLost extends ProviderError {}

const connectMilliseconds = 3_000;
const idleMilliseconds = 20_000;

/** Sends one request and reads the whole answer. @throws ConnectionFailed or {@link ConnectionLost}. */
export async function exchange(outgoing: Outgoing): Promise<Answer> {
  return withinDeadline(outgoing, async (response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const json = isGzip(response) ? await unzip(bytes, { chunkSize: unzipBytes }) : bytes;
    const document = documentOf(json, outgoing.without);
    return { status: response.statusCode ?? 0, headers: response.headers, body: document };
  });
}

/**
 * Sends one request whose answer is one JSON document a line, and hands on each as it comes, until the server ends it or `onLine` has seen
 * enough and returns "stop". An answer other than 2xx is read to its end and returned.
 */
export async function exchangeLines(
  outgoing: Outgoing,
  onLine: (document: unknown) => "stop" | undefined,
): Promise<Answer> {
  return withinDeadline(outgoing, async (response) => {
    const { statusCode: status = 0, headers } = response;
    const stream = isGzip(response) ? response.pipe(createGunzip()) : response;
    const isStream = status >= 200 && status < 300;
    const lines = new Lines();
    let refused = "";
    for await (const chunk of stream) {
      if (!isStream) refused += String(chunk);
      else if (lines.add(chunk).some((line) => onLine(documentOf(line, outgoing.without)) === "stop")) break;
    }
    return { status, headers, body: isStream ? undefined : parseBody(refused) };
  });
}

/** Puts together the lines of a text that comes in pieces. */
class Lines {
  #rest: Buffer[] = [];

  add(chunk: Buffer): Buffer[] {
    const found: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const last = chunk.subarray(start, end);
      const line = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last]);
      if (line.length > 0) found.push(line);
      this.#rest = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    return found;
  }
}

const unzip = promisify(gunzip);
/** A page has some megabytes; pieces of 16 KiB, as by default, take twice as long. */
const unzipBytes = 2 ** 20;

function isGzip({ headers }: IncomingMessage): boolean {
  return headers["content-encoding"] === "gzip";
}

function withinDeadline<T>(outgoing: Outgoing, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
  const { url, options, body, withinMilliseconds } = outgoing;
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const request = httpsRequest(url, options, (response) => {
      read(response).then(resolve, fail).finally(end);
    });
    const connectWithin = Math.min(connectMilliseconds, withinMilliseconds);
    const connectDeadline = setTimeout(() => request.destroy(timeout("no connection", connectWithin)), connectWithin);
    const deadline = setTimeout(
      () => request.destroy(timeout("no whole answer", withinMilliseconds)),
      withinMilliseconds,
    );
    request.on("socket", (socket) => {
      const connected = () => {
        isConnected = true;
        clearTimeout(connectDeadline);
      };
      if (socket.connecting) socket.once("secureConnect", connected);
      else connected();
    });
    request.setTimeout(idleMilliseconds, () => request.destroy(timeout("no data", idleMilliseconds)));
    request.on("error", fail);
    request.end(body);

    function end(): void {
      clearTimeout(connectDeadline);
      clearTimeout(deadline);
    }

    function fail(error: Error & { readonly code?: string }): void {
      end();
      const { code = "ConnectionFailed" } = error;
      const what = `${options.method} ${url.pathname} at ${url.host}: ${error.message}`;
      reject(
        isConnected
          ? new ConnectionLost("Unknown", code, what, { cause: error })
          : new ConnectionFailed("Unknown", code, `${what}. ${connectionAdvice(code)}`, { cause: error }),
      );
    }
  });
}

function timeout(what: string, milliseconds: number): Error {
  return Object.assign(new Error(`${what} within ${Math.round(milliseconds)} ms`), { code: "ETIMEDOUT" });
}

function documentOf(json: Buffer, without: readonly string[]): unknown {
  return parseBody((without.length === 0 ? json : cutArrays(json, without)).toString("utf8"));
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
