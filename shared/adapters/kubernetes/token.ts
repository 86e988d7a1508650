import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";

/** Bearer tokens for the Kubernetes API. */
export interface TokenSource {
  token(): Promise<string>;
  /** Called when the API server answered 401: the next token must be a new one. */
  invalidate(): void;
}

export interface EksTokenOptions {
  readonly clusterName: string;
  readonly region: string;
  readonly credentials: () => Promise<AwsCredentials>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** EKS accepts a token for 15 minutes from its signing, whatever it says itself; clients renew at 14 (serverless-aws §5). */
const lifetimeMilliseconds = 14 * 60_000;

/** EKS tokens: a presigned STS GetCallerIdentity request that names the cluster, signed anew every 14 minutes. */
export function eksTokens(options: EksTokenOptions): TokenSource {
  let current: { readonly token: Promise<string>; readonly untilAt: number } | undefined;
  return {
    token() {
      const now = options.now();
      if (current === undefined || now >= current.untilAt) {
        const token = signToken(options, new Date(now));
        current = { token, untilAt: now + lifetimeMilliseconds };
        token.catch(() => {
          current = undefined;
        });
      }
      return current.token;
    },
    invalidate() {
      current = undefined;
    },
  };
}

async function signToken({ clusterName, region, credentials }: EksTokenOptions, signingDate: Date): Promise<string> {
  const host = `sts.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const signer = new SignatureV4({ service: "sts", region, credentials: await credentials(), sha256: Sha256 });
  const signed = await signer.presign(
    new HttpRequest({
      method: "GET",
      protocol: "https:",
      hostname: host,
      path: "/",
      query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
      headers: { host, "x-k8s-aws-id": clusterName },
    }),
    { expiresIn: 60, signingDate },
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(signed.query ?? {})) query.set(key, String(value));
  return `k8s-aws-v1.${Buffer.from(`https://${host}/?${query}`).toString("base64url")}`;
}

/** The hash that the signer asks for, on Node's own crypto. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
