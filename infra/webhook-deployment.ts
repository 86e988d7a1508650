import type { WebhookEnvironment } from "../shared/runtime/config.ts";
import type { ClusterConfig } from "./cluster-config.ts";

/** The webhook's Service, Deployment and disruption budget. The ConfigMap that it mounts has its name too. */
export function webhookDeployment(config: ClusterConfig, name: string): object[] {
  const metadata = { name, namespace: config.namespace };
  const labels = { "app.kubernetes.io/name": name };
  const targetPort = config.webhookPort;
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ name: "https", port: 443, targetPort }] },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 2,
        // Of a node's own ports there is one each: a new pod may have to wait for an old one to go.
        strategy: {
          rollingUpdate: config.webhookHostNetwork
            ? { maxUnavailable: 1, maxSurge: 0 }
            : { maxUnavailable: 0, maxSurge: 1 },
        },
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec(config, name, labels) },
      },
    },
  ];
}

/** For the drain of 25 s at the most, and the end after it. */
const gracePeriodSeconds = 35;

function podSpec(config: ClusterConfig, name: string, labels: Readonly<Record<string, string>>): object {
  const port = config.webhookPort;
  const environment: WebhookEnvironment = {
    AWS_REGION: config.region,
    JOURNEYMAN_EVENT_BUS: `journeyman-${config.clusterName}`,
    JOURNEYMAN_NAMESPACE: config.namespace,
    JOURNEYMAN_WEBHOOK_SERVICE: name,
    JOURNEYMAN_PORT: String(port),
  };
  const probe = (path: string) => ({ httpGet: { path, port, scheme: "HTTPS" } });
  const code = { name: "code", mountPath: "/app" };
  return {
    serviceAccountName: config.webhookServiceAccount,
    priorityClassName: "system-cluster-critical",
    terminationGracePeriodSeconds: gracePeriodSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    },
    // The node's own name servers: what the webhook looks for is in AWS, and it must find it when the cluster's DNS is down.
    dnsPolicy: "Default",
    ...(config.webhookHostNetwork && { hostNetwork: true }),
    ...spreading(labels),
    initContainers: [
      {
        ...container("unpack", config.webhookImage),
        command: ["node", "-e", unpackScript],
        volumeMounts: [code, { name: "bundle", mountPath: "/bundle", readOnly: true }],
      },
    ],
    containers: [
      {
        ...container("webhook", config.webhookImage),
        command: ["node", "/app/index.js"],
        env: Object.entries(environment).map(([key, value]) => ({ name: key, value })),
        ports: [{ name: "https", containerPort: port }],
        readinessProbe: { ...probe("/readyz"), periodSeconds: 5 },
        livenessProbe: { ...probe("/healthz"), initialDelaySeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
        volumeMounts: [{ ...code, readOnly: true }],
      },
    ],
    volumes: [
      { name: "code", emptyDir: { sizeLimit: "16Mi" } },
      { name: "bundle", configMap: { name } },
    ],
  };
}

/** The code travels in a ConfigMap, gzipped: no image of our own to publish, to scan or to pull. */
const unpackScript =
  "const fs = require('fs'); fs.writeFileSync('/app/index.js', require('zlib').gunzipSync(fs.readFileSync('/bundle/index.js.gz')))";

function container(name: string, image: string): object {
  return {
    name,
    image,
    resources: { requests: { cpu: "20m", memory: "96Mi" }, limits: { memory: "192Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

/**
 * Apart from one another as far as there are nodes, and rather on nodes that nobody takes back. Wishes, not conditions: no node is to
 * be launched for the webhook's sake.
 */
function spreading(labels: Readonly<Record<string, string>>): object {
  const preference = { matchExpressions: [{ key: "karpenter.sh/capacity-type", operator: "NotIn", values: ["spot"] }] };
  return {
    topologySpreadConstraints: ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
      topologyKey,
      maxSkew: 1,
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: labels },
      // Of a rollout, not of the old replicas that are about to go.
      matchLabelKeys: ["pod-template-hash"],
    })),
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] },
    },
  };
}
