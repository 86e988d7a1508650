import type { KubernetesObject, TestClient } from "./test-client.ts";

export interface TestNodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

interface NodeObject extends KubernetesObject {
  readonly status: { readonly conditions?: readonly Condition[] };
}

/** Makes a Node as a kubelet does that has just become ready. The API server taints it as not ready, and the node controller takes that away. */
export async function registerReadyNode(
  client: TestClient,
  name: string,
  { labels = {}, allocatable = {} }: TestNodeOptions = {},
): Promise<void> {
  const resources = { cpu: "4", memory: "16Gi", pods: "58", ...allocatable };
  await client.create("/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", ...labels } },
  });
  await renewLease(client, name);
  await client.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        condition("Ready", "True", "KubeletReady"),
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID"),
      ],
    },
  });
}

export interface HeartbeatOptions {
  /** Nodes whose kubelet has stopped. */
  readonly isDead?: (name: string) => boolean;
  /** Ten seconds by default, as a kubelet's. */
  readonly everyMilliseconds?: number;
}

/**
 * Beats for the kubelets that are not there, for all nodes of the cluster but the dead: renews their leases, and sets those Ready again that
 * the node controller took for lost meanwhile. Without it a node is tainted as unreachable some 40 seconds after its last sign of life.
 * Answers with a function that ends it.
 */
export function keepNodesAlive(
  client: TestClient,
  { isDead = () => false, everyMilliseconds = 10_000 }: HeartbeatOptions = {},
): () => void {
  const beat = async (): Promise<void> => {
    const nodes = await client.list<NodeObject>("/api/v1/nodes");
    const alive = nodes.filter(({ metadata }) => !isDead(metadata.name));
    await Promise.all(alive.map((node) => heartbeat(client, node)));
  };
  // A server that is down hears the next one.
  const timer = setInterval(() => void beat().catch(() => undefined), everyMilliseconds);
  void beat().catch(() => undefined);
  return () => clearInterval(timer);
}

async function heartbeat(client: TestClient, { metadata, status }: NodeObject): Promise<void> {
  await renewLease(client, metadata.name);
  const conditions = status.conditions ?? [];
  if (!conditions.some(({ type, reason }) => type === "Ready" && reason === "NodeStatusUnknown")) return;
  const ready = condition("Ready", "True", "KubeletReady");
  await client.patch(`/api/v1/nodes/${metadata.name}/status`, {
    status: { conditions: conditions.map((each) => (each.type === "Ready" ? ready : each)) },
  });
}

async function renewLease(client: TestClient, name: string): Promise<void> {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date().toISOString().replace("Z", "000Z"),
  };
  const { status } = await client.request("PATCH", `${leases}/${name}`, { spec });
  if (status !== 404) return;
  await client.create(leases, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease" },
    spec,
  });
}

function condition(type: string, status: string, reason: string): Condition {
  const now = new Date().toISOString();
  return { type, status, reason, message: reason, lastHeartbeatTime: now, lastTransitionTime: now };
}
