import * as z from "zod";
import { ProviderError } from "../../ports.ts";
import type { KubernetesClient, KubernetesRequest } from "./client.ts";

export interface WebhookStoreOptions {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly secretName: string;
  /** Of the ValidatingWebhookConfiguration. */
  readonly configurationName: string;
}

const metadata = z.object({ resourceVersion: z.string() });
const secretObject = z.object({ metadata, data: z.record(z.string(), z.string()).nullish() });
const configurationObject = z.object({
  metadata,
  webhooks: z
    .array(z.object({ name: z.string(), clientConfig: z.object({ caBundle: z.string().default("") }) }))
    .nullish(),
});

interface Configuration {
  readonly resourceVersion: string;
  readonly entries: readonly { readonly name: string; readonly caBundle: string }[];
}

/** The two objects that the webhook's process writes. Every write names the version it was made from, so that replicas cannot undo one another. */
export function webhookStore({ client, namespace, secretName, configurationName }: WebhookStoreOptions) {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const configuration = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${configurationName}`;

  return {
    async readSecret() {
      const body = await found(client.request({ method: "GET", path: `${secrets}/${secretName}` }));
      if (body === undefined) return undefined;
      const { metadata: meta, data } = secretObject.parse(body);
      const decoded = Object.entries(data ?? {}).map(([key, value]) => [key, fromBase64(value)]);
      return { resourceVersion: meta.resourceVersion, data: Object.fromEntries(decoded) };
    },

    async writeSecret(data: Readonly<Record<string, string | null>>, resourceVersion: string | undefined) {
      const encoded = Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, value === null ? null : toBase64(value)]),
      );
      if (resourceVersion === undefined) {
        const kept = Object.fromEntries(Object.entries(encoded).filter(([, value]) => value !== null));
        const body = { apiVersion: "v1", kind: "Secret", metadata: { name: secretName }, type: "Opaque", data: kept };
        return write({ method: "POST", path: secrets, body });
      }
      const body = { metadata: { resourceVersion }, data: encoded };
      const contentType = "application/merge-patch+json";
      return write({ method: "PATCH", path: `${secrets}/${secretName}`, body, contentType });
    },

    async readConfiguration(): Promise<Configuration | undefined> {
      const body = await found(client.request({ method: "GET", path: configuration }));
      if (body === undefined) return undefined;
      const { metadata: meta, webhooks } = configurationObject.parse(body);
      const entries = (webhooks ?? []).map(({ name, clientConfig: { caBundle } }) => ({
        name,
        caBundle: fromBase64(caBundle),
      }));
      return { resourceVersion: meta.resourceVersion, entries };
    },

    /** A strategic merge, which knows that the entries of the list are told apart by their names: nothing else of them is touched. */
    async writeCaBundle(bundle: string, { resourceVersion, entries }: Configuration) {
      const webhooks = entries.map(({ name }) => ({ name, clientConfig: { caBundle: toBase64(bundle) } }));
      const body = { metadata: { resourceVersion }, webhooks };
      const contentType = "application/strategic-merge-patch+json";
      return write({ method: "PATCH", path: configuration, body, contentType });
    },
  };

  async function write(request: KubernetesRequest): Promise<"written" | "conflict"> {
    try {
      await client.request(request);
      return "written";
    } catch (error) {
      // What is to be changed may be gone; where something is to be made, it is the namespace that does not exist.
      if (isOneOf(error, request.method === "PATCH" ? ["Conflict", "NotFound"] : ["Conflict"])) return "conflict";
      throw error;
    }
  }
}

async function found(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isOneOf(error, ["NotFound"])) return undefined;
    throw error;
  }
}

function isOneOf(error: unknown, kinds: readonly ProviderError["kind"][]): boolean {
  return error instanceof ProviderError && kinds.includes(error.kind);
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}

function toBase64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
