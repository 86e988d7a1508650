/** The parts of a pod as the API server sends them. */

export const created = "2026-01-01T00:00:00Z";

interface PodSpecOf {
  readonly owner: string;
  readonly workload: number;
  readonly token: string;
  readonly nodeName: string;
  readonly isDaemon: boolean;
}

export function podSpec(of: PodSpecOf): object {
  const { owner, workload, token, nodeName: onNode, isDaemon } = of;
  return {
    volumes: [
      { name: "config", configMap: { name: `${owner}-config`, defaultMode: 420 } },
      { name: "scratch", emptyDir: {} },
      {
        name: token,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      container("main", of, `${50 + 25 * (workload % 8)}m`, `${64 + 32 * (workload % 6)}Mi`),
      container("proxy", of, "10m", "32Mi"),
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: owner,
    serviceAccount: owner,
    nodeName: onNode,
    securityContext: { fsGroup: 2000 },
    schedulerName: "default-scheduler",
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
    ...(isDaemon && {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [onNode] }] }],
          },
        },
      },
    }),
    ...(!isDaemon &&
      workload % 4 === 0 && {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "topology.kubernetes.io/zone",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { "app.kubernetes.io/name": owner } },
          },
        ],
      }),
  };
}

function container(name: string, of: PodSpecOf, cpu: string, memory: string): object {
  const { owner, workload, token } = of;
  return {
    name,
    image: `111122223333.dkr.ecr.us-east-1.amazonaws.com/${owner}/${name}:v1.${workload % 90}.3@sha256:${"4f".repeat(32)}`,
    imagePullPolicy: "IfNotPresent",
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: Array.from({ length: 12 }, (_, n) => ({
      name: `${name.toUpperCase()}_SETTING_${n}`,
      value: `value-${workload}-${n}`,
    })),
    resources: { requests: { cpu, memory }, limits: { memory } },
    volumeMounts: [
      { name: "config", mountPath: "/etc/app", readOnly: true },
      { name: "scratch", mountPath: "/tmp" },
      { name: token, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
    ],
    livenessProbe: probe("/healthz"),
    readinessProbe: probe("/ready"),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true },
  };
}

export function podLabels(owner: string, workload: number): object {
  return {
    "app.kubernetes.io/name": owner,
    "app.kubernetes.io/instance": owner,
    "app.kubernetes.io/version": `1.${workload % 90}.3`,
    "app.kubernetes.io/part-of": "shop",
    "pod-template-hash": code(workload),
  };
}

export function podStatus(index: number, restartCount: number): object {
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
  return {
    phase: "Running",
    conditions: types.map((type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: created })),
    hostIP: "10.0.0.1",
    hostIPs: [{ ip: "10.0.0.1" }],
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: created,
    containerStatuses: ["main", "proxy"].map((name) => ({
      name,
      state: { running: { startedAt: created } },
      lastState: {},
      ready: true,
      restartCount,
      image: `111122223333.dkr.ecr.us-east-1.amazonaws.com/${name}:v1`,
      imageID: `111122223333.dkr.ecr.us-east-1.amazonaws.com/${name}@sha256:${"4f".repeat(32)}`,
      containerID: `containerd://${uid(3, index).replaceAll("-", "")}${uid(4, index).replaceAll("-", "")}`,
      started: true,
    })),
    qosClass: "Burstable",
  };
}

function probe(path: string): object {
  return { httpGet: { path, port: 8080, scheme: "HTTP" }, timeoutSeconds: 1, periodSeconds: 10, failureThreshold: 3 };
}

export function code(index: number): string {
  return (((index + 1) * 2_654_435_761) % 2 ** 32).toString(36).padStart(7, "0");
}

export function uid(kind: number, index: number): string {
  const hex = (((index + 1) * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");
  return `${hex}-000${kind}-4000-8000-${index.toString(16).padStart(12, "0")}`;
}
