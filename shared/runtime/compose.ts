import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { SQSClient } from "@aws-sdk/client-sqs";
import { ec2Port } from "../adapters/aws/ec2.ts";
import { eksCluster } from "../adapters/aws/eks.ts";
import { hintQueues } from "../adapters/aws/queues.ts";
import { type KubernetesEndpoint, kubernetesClient, type WatchingClient } from "../adapters/kubernetes/client.ts";
import { kubernetesPort } from "../adapters/kubernetes/kubernetes-port.ts";
import { reconnectingClient } from "../adapters/kubernetes/reconnecting.ts";
import { eksTokens } from "../adapters/kubernetes/token.ts";
import { WarmLists } from "../adapters/kubernetes/warm-lists.ts";
import { telemetry } from "../adapters/telemetry.ts";
import { metricNamespace } from "../metrics.ts";
import type { ClusterEndpoint, ClusterPort } from "../ports.ts";
import { type FunctionConfig, provisioningMessageGroup, readFunctionConfig } from "./config.ts";
import type { Runtime } from "./lambda.ts";
import { defaultProvider } from "./lambda-credentials.ts";

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
  const cluster = knownCluster(config);
  const connection = connect(config, cluster);
  const warmLists = new WarmLists(connection);
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
      kubernetes: kubernetesPort(async () => connection, output, { remainingMilliseconds, warmLists }),
      ec2,
      cluster,
      hints,
      telemetry: output,
      clock: { now: Date.now, sleep, remainingMilliseconds, requestId: () => requestId },
    }),
  };
}

interface KnownCluster extends ClusterPort {
  /** Asks EKS, whatever is known; what it says is known from then on. */
  lookUp(): Promise<ClusterEndpoint>;
}

/** What the stack knows of the cluster saves a call on each cold start; else EKS is asked once. */
function knownCluster({ cluster, settings }: FunctionConfig): KnownCluster {
  const ask = () => eksCluster(new EKSClient({ region: settings.region }), settings.clusterName);
  let known: ClusterPort = cluster === undefined ? ask() : { describe: async () => cluster };
  return {
    describe: () => known.describe(),
    async lookUp() {
      const asked = ask();
      const found = await asked.describe();
      known = asked;
      return found;
    },
  };
}

function connect({ settings }: FunctionConfig, cluster: KnownCluster): WatchingClient {
  const { clusterName, region } = settings;
  const tokens = eksTokens({ clusterName, region, credentials: defaultProvider(), now: Date.now });
  return reconnectingClient({
    endpoint: async () => endpointOf(await cluster.describe()),
    freshEndpoint: async () => endpointOf(await cluster.lookUp()),
    connect: (endpoint) => kubernetesClient({ endpoint, tokens, sleep }),
  });
}

function endpointOf({ endpoint, certificateAuthority }: ClusterEndpoint): KubernetesEndpoint {
  return { url: endpoint, certificateAuthority: Buffer.from(certificateAuthority, "base64").toString("utf8") };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
