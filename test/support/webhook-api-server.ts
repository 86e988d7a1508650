import type { CertificateSet } from "../../functions/webhook/certificates.ts";
import { httpsLoopback, type LoopbackServer, type ReceivedRequest, type ScriptedAnswer } from "./loopback.ts";

interface Stored {
  metadata: { resourceVersion: string };
  data?: Record<string, string>;
  webhooks?: { name: string; clientConfig: { caBundle?: string } }[];
}

export interface WebhookApiServer extends LoopbackServer {
  readonly secret: () => Stored | undefined;
  readonly configuration: Stored;
}

/** As much of the API server as the webhook's process asks: its Secret, its configuration, and lists without an item. */
export async function webhookApiServer(certificates: CertificateSet): Promise<WebhookApiServer> {
  let secret: Stored | undefined;
  const webhooks = ["pods.journeyman.sh", "probe.journeyman.sh"].map((name) => ({ name, clientConfig: {} }));
  const configuration: Stored = { metadata: { resourceVersion: "1" }, webhooks };
  const loopback = await httpsLoopback((request) => {
    const { pathname } = request.url;
    if (request.headers.authorization !== "Bearer from-the-kubelet") return { status: 401, body: {} };
    if (pathname.endsWith("/validatingwebhookconfigurations/journeyman")) return answer(configuration, request);
    if (pathname === "/api/v1/namespaces/journeyman/secrets" && request.method === "POST") {
      if (secret !== undefined) return { status: 409, body: { reason: "AlreadyExists" } };
      secret = { ...JSON.parse(request.body), metadata: { resourceVersion: "1" } };
      return { status: 201, body: secret ?? {} };
    }
    if (pathname === "/api/v1/namespaces/journeyman/secrets/journeyman-webhook") return answer(secret, request);
    return { body: { metadata: {}, items: [] } };
  }, certificates);
  return { ...loopback, secret: () => secret, configuration };
}

function answer(stored: Stored | undefined, { method, body }: ReceivedRequest): ScriptedAnswer {
  if (stored === undefined) return { status: 404, body: { reason: "NotFound" } };
  if (method !== "PATCH") return { body: stored };
  const patch = JSON.parse(body);
  if (patch.metadata.resourceVersion !== stored.metadata.resourceVersion) return { status: 409, body: {} };
  stored.metadata.resourceVersion = String(Number(stored.metadata.resourceVersion) + 1);
  Object.assign(stored.data ?? {}, patch.data);
  for (const { name, clientConfig } of patch.webhooks ?? []) {
    Object.assign(stored.webhooks?.find((each) => each.name === name)?.clientConfig ?? {}, clientConfig);
  }
  return { body: stored };
}
