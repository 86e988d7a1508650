import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import {
  configurationName,
  probeSelection,
  selections,
  type WebhookSelection,
} from "../functions/webhook/match-conditions.ts";
import { type ClusterConfig, parseClusterConfig } from "./cluster-config.ts";
import { definitionsToApply } from "./crds.ts";
import { flowObjects } from "./flow-schemas.ts";
import { rbacObjects, webhookRbacObjects } from "./rbac.ts";
import { webhookDeployment } from "./webhook-deployment.ts";

export interface ManifestOptions {
  readonly config: ClusterConfig;
  /** The webhook's JavaScript. */
  readonly bundle: Uint8Array;
}

const serviceName = "journeyman-webhook";

/**
 * Everything that is applied to the cluster: access rules, the webhook and its configuration. Applying it again changes nothing that the
 * webhook keeps itself: its Secret is not in here, nor is the certificate authority in its configuration.
 */
export function manifests({ config, bundle }: ManifestOptions): object[] {
  const { namespace } = config;
  const metadata = { name: serviceName, namespace };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...rbacObjects(namespace, {
      hasDefaultSpread: config.scheduling.podTopologySpread !== undefined,
      observe: config.observe,
    }),
    ...flowObjects(namespace),
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: config.webhookServiceAccount, namespace } },
    ...webhookRbacObjects(namespace, serviceName, config.webhookServiceAccount),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      binaryData: { "index.js.gz": gzipSync(bundle).toString("base64") },
    },
    ...webhookDeployment(config, serviceName),
    webhookConfiguration({ service: { name: serviceName, namespace, path: "/admit", port: 443 } }, namespace),
  ];
}

/**
 * Fails open in every way (design §4.7): errors are ignored, one second is the most it can cost, and requests that do not matter
 * never leave the API server.
 */
export function webhookConfiguration(clientConfig: object, namespace: string): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: configurationName },
    webhooks: [...selections, probeSelection].map((selection) => ({
      name: selection.name,
      admissionReviewVersions: ["v1"],
      // Nothing is forwarded of a request that is only tried.
      sideEffects: "NoneOnDryRun",
      failurePolicy: "Ignore",
      // A request by another version of the API counts as well.
      matchPolicy: "Equivalent",
      timeoutSeconds: 1,
      clientConfig,
      rules: selection.rules,
      ...namespaceSelector(selection, namespace),
      matchConditions: selection.matchConditions.map(({ name, expression }) => ({ name, expression })),
    })),
  };
}

/** Our own pods never wait for themselves. */
function namespaceSelector({ namespaces }: WebhookSelection, namespace: string): object {
  if (namespaces === undefined) return {};
  const operator = namespaces === "ours" ? "In" : "NotIn";
  return {
    namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator, values: [namespace] }] },
  };
}

const usage = `npm run --silent manifests [-- --installed-crds FILE|-]

Prints the manifests of the cluster in cdk.json as YAML. Needs npm run build first.
  --installed-crds  what "kubectl get crds -o json" says, as a file or on the standard input: the CustomResourceDefinitions of NodePools and
                    their kin come first, but for those that somebody else installed, such as Karpenter's, which are used as they are`;

/** Without a list of what is installed no CustomResourceDefinition is printed: whoever applies it might write over Karpenter's. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { "installed-crds": { type: "string" } } });
  const installed = values["installed-crds"];
  const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
  const config = parseClusterConfig(JSON.parse(await readFile(file("cdk.json"), "utf8")).context?.journeyman);
  const bundle = await readBundle(file("dist/webhook/index.js"));
  const text =
    installed === undefined ? undefined : await readFile(installed === "-" ? "/dev/stdin" : installed, "utf8");
  const { toApply, kept } = text === undefined ? { toApply: [], kept: [] } : definitionsToApply(text);
  if (text === undefined)
    console.error(`No CustomResourceDefinition is printed, as it is not known which are there.\n${usage}`);
  if (kept.length > 0) console.error(`Used as they are, because somebody else installed them: ${kept.join(", ")}`);
  console.log(
    [...toApply, ...manifests({ config, bundle })]
      .map((object) => stringify(object, { aliasDuplicateObjects: false }))
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
