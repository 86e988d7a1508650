import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { SQSClient } from "@aws-sdk/client-sqs";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { ec2Port } from "../adapters/aws/ec2.ts";
import { eksCluster } from "../adapters/aws/eks.ts";
import { hintQueues } from "../adapters/aws/queues.ts";
import { type KubernetesClient, kubernetesClient } from "../adapters/kubernetes/client.ts";
import { kubernetesPort } from "../adapters/kubernetes/kubernetes-port.ts";
import { eksTokens } from "../adapters/kubernetes/token.ts";
import { telemetry } from "../adapters/telemetry.ts";
import { metricNamespace } from "../metrics.ts";
import type { ClusterPort } from "../ports.ts";
import { type FunctionConfig, provisioningMessageGroup, readFunctionConfig } from "./config.ts";
import type { Runtime } from "./lambda.ts";

let warm: Runtime | undefined;

/** The runtime of this Lambda sandbox: made at the first invocation and kept, connections included. */
export function liveRuntime(): Runtime {
  warm ??= compose(readFunctionConfig());
  return warm;
}

export function compose(config: FunctionConfig): Runtime {
  const { settings } = config;
  const region = settings.region;
  const clusterName = settings.clusterName;
  const output = telemetry({ service: config.functionName, clusterName, metricNamespace, logLevel: config.logLevel });
  const cluster = clusterPort(config);
  const kubernetes = kubernetesPort(
    once(() => connect(config, cluster)),
    output,
  );
  const ec2 = ec2Port({
    client: new EC2Client({ region, maxAttempts: 3 }),
    launchClient: new EC2Client({ region, maxAttempts: 1 }),
    clusterName,
  });
  const client = new SQSClient({ region, maxAttempts: 3 });
  const hints = hintQueues({ client, queueUrls: config.queueUrls, provisioningMessageGroup });
  return {
    settings,
    telemetry: output,
    flush: output.flush,
    ports: ({ requestId, remainingMilliseconds }) => ({
      kubernetes,
      ec2,
      cluster,
      hints,
      telemetry: output,
      clock: { now: Date.now, sleep, remainingMilliseconds, requestId: () => requestId },
    }),
  };
}

/** What the stack knows of the cluster saves a call on each cold start; else EKS is asked. */
function clusterPort({ cluster, settings }: FunctionConfig): ClusterPort {
  if (cluster !== undefined) return { describe: async () => cluster };
  return eksCluster(new EKSClient({ region: settings.region }), settings.clusterName);
}

async function connect({ settings }: FunctionConfig, cluster: ClusterPort): Promise<KubernetesClient> {
  const { clusterName, region } = settings;
  const { endpoint, certificateAuthority } = await cluster.describe();
  const tokens = eksTokens({ clusterName, region, credentials: defaultProvider(), now: Date.now });
  const pem = Buffer.from(certificateAuthority, "base64").toString("utf8");
  return kubernetesClient({ endpoint: { url: endpoint, certificateAuthority: pem }, tokens, sleep });
}

/** One shared result; a failure is not kept, so that the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
