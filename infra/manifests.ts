import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import { type CertificateSet, createCertificates } from "../functions/webhook/certificates.ts";
import { selections } from "../functions/webhook/match-conditions.ts";
import { type ClusterConfig, parseClusterConfig } from "./cluster-config.ts";
import { rbacObjects } from "./rbac.ts";
import { webhookDeployment } from "./webhook-deployment.ts";

export interface ManifestOptions {
  readonly config: ClusterConfig;
  readonly certificates: CertificateSet;
  /** The webhook's JavaScript. */
  readonly bundle: Uint8Array;
}

const serviceName = "journeyman-webhook";

/** Everything that is applied to the cluster: access rules, the webhook and its configuration. */
export function manifests({ config, certificates, bundle }: ManifestOptions): object[] {
  const { namespace } = config;
  const metadata = { name: serviceName, namespace };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...rbacObjects(namespace, { hasDefaultSpread: config.scheduling.podTopologySpread !== undefined }),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: config.webhookServiceAccount, namespace } },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": certificates.certificate, "tls.key": certificates.privateKey },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      binaryData: { "index.js.gz": gzipSync(bundle).toString("base64") },
    },
    ...webhookDeployment(config, serviceName),
    webhookConfiguration(namespace, Buffer.from(certificates.certificateAuthority).toString("base64")),
  ];
}

/**
 * Fails open in every way (design §4.7): errors are ignored, one second is the most it can cost, and requests that do not matter
 * never leave the API server.
 */
function webhookConfiguration(namespace: string, caBundle: string): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "journeyman" },
    webhooks: selections.map(({ name, rules, matchConditions }) => ({
      name,
      admissionReviewVersions: ["v1"],
      sideEffects: "NoneOnDryRun",
      failurePolicy: "Ignore",
      timeoutSeconds: 1,
      clientConfig: { service: { name: serviceName, namespace, path: "/admit", port: 443 }, caBundle },
      rules,
      matchConditions: matchConditions.map((condition) => ({ name: condition.name, expression: condition.expression })),
    })),
  };
}

/** A year: whoever deploys again within it renews the certificate. */
const certificateDays = 365;

/** Prints the manifests of the cluster in cdk.json as YAML, with a fresh certificate. Needs `npm run build` first. */
async function main(): Promise<void> {
  const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
  const config = parseClusterConfig(JSON.parse(await readFile(file("cdk.json"), "utf8")).context?.journeyman);
  const notBefore = new Date();
  const certificates = createCertificates({
    dnsNames: [`${serviceName}.${config.namespace}.svc`, `${serviceName}.${config.namespace}.svc.cluster.local`],
    notBefore,
    notAfter: new Date(notBefore.getTime() + certificateDays * 86_400_000),
  });
  const bundle = await readBundle(file("dist/webhook/index.js"));
  console.log(
    manifests({ config, certificates, bundle })
      .map((object) => stringify(object))
      .join("---\n"),
  );
}

/** The webhook's JavaScript, as built. @throws {Error} that says to build it first. */
export async function readBundle(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new Error(`found no ${path}, expected the built webhook: run \`npm run build\` first`, { cause: error });
  }
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}
