import type { WebhookEnvironment } from "../shared/runtime/config.ts";
import type { ClusterConfig } from "./cluster-config.ts";

const port = 9443;
const tlsDirectory = "/etc/journeyman/tls";

/** The webhook's Service, Deployment and disruption budget. The Secret and the ConfigMap that it mounts have its name too. */
export function webhookDeployment(config: ClusterConfig, name: string): object[] {
  const metadata = { name, namespace: config.namespace };
  const labels = { "app.kubernetes.io/name": name };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ name: "https", port: 443, targetPort: port }] },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec(config, name, labels) },
      },
    },
  ];
}

function podSpec(config: ClusterConfig, name: string, labels: Readonly<Record<string, string>>): object {
  const environment: WebhookEnvironment = {
    AWS_REGION: config.region,
    JOURNEYMAN_EVENT_BUS: `journeyman-${config.clusterName}`,
    JOURNEYMAN_TLS_DIRECTORY: tlsDirectory,
    JOURNEYMAN_PORT: String(port),
  };
  const probe = { httpGet: { path: "/healthz", port, scheme: "HTTPS" } };
  const code = { name: "code", mountPath: "/app" };
  return {
    serviceAccountName: config.webhookServiceAccount,
    automountServiceAccountToken: false,
    priorityClassName: "system-cluster-critical",
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
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
        ports: [{ containerPort: port }],
        readinessProbe: { ...probe, periodSeconds: 5 },
        livenessProbe: { ...probe, initialDelaySeconds: 10, failureThreshold: 6 },
        volumeMounts: [code, { name: "tls", mountPath: tlsDirectory, readOnly: true }],
      },
    ],
    volumes: [
      { name: "code", emptyDir: {} },
      { name: "bundle", configMap: { name } },
      { name: "tls", secret: { secretName: name } },
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

/** Apart from one another, and rather on nodes that nobody takes back. */
function spreading(labels: Readonly<Record<string, string>>): object {
  const labelSelector = { matchLabels: labels };
  return {
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector } },
          { weight: 50, podAffinityTerm: { topologyKey: "topology.kubernetes.io/zone", labelSelector } },
        ],
      },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            preference: {
              matchExpressions: [{ key: "karpenter.sh/capacity-type", operator: "NotIn", values: ["spot"] }],
            },
          },
        ],
      },
    },
  };
}
