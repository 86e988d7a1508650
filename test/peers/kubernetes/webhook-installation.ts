import { expect, vi } from "vitest";
import { parseClusterConfig } from "../../../infra/cluster-config.ts";
import { manifests, webhookConfiguration } from "../../../infra/manifests.ts";
import type { Identity } from "./certificates.ts";
import type { TestClient } from "./test-client.ts";

const namespace = "journeyman";

/** Whom the API server takes the webhook's pods for. */
export const webhookAccount: Identity = {
  user: `system:serviceaccount:${namespace}:journeyman-webhook`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface ClientConfig {
  readonly url: string;
  /** Base64 of PEM. Without it the webhook's process sees to it. */
  readonly caBundle?: string;
}

/** Creates what is applied to a real cluster. Only the address that the API server calls differs. */
export async function installWebhook(admin: TestClient, clientConfig: ClientConfig): Promise<void> {
  const config = parseClusterConfig({
    clusterName: "shop",
    account: "111122223333",
    region: "eu-west-1",
    kubernetesVersion: "1.34",
  });
  const objects = manifests({ config, bundle: Buffer.from("") }).filter(isManifest);
  for (const object of objects) {
    // Without a kubelet its pods would be pending, and the tests look for pending pods of their own.
    if (object.kind === "Deployment") continue;
    const isConfiguration = object.kind === "ValidatingWebhookConfiguration";
    await createOnce(admin, pathOf(object), isConfiguration ? webhookConfiguration(clientConfig, namespace) : object);
  }
}

/** A definition of one of Karpenter's kinds, by its names alone: any spec and status are taken. */
export async function defineKind(admin: TestClient, group: string, kind: string): Promise<void> {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith("s") ? `${singular}es` : `${singular}s`;
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  await createOnce(admin, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular, listKind: `${kind}List` },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, schema }],
    },
  });
  await vi.waitFor(
    async () => expect((await admin.request("GET", `/apis/${group}/v1/${plural}`)).status).toBe(200),
    20_000,
  );
}

/** A definition may be there already. */
async function createOnce(admin: TestClient, path: string, object: object): Promise<void> {
  const { status, body } = await admin.request("POST", path, object);
  if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
}

function isManifest(object: object): object is Manifest {
  return "kind" in object && "metadata" in object;
}

function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const within = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  const plural = `${kind.toLowerCase()}s`;
  return `${root}${within}/${plural}`;
}
