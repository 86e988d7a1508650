import { code, created, podLabels, podSpec, podStatus, uid } from "./scale-pods.ts";

/** Objects as an API server sends them, fields that nobody here reads included: their bytes are what is measured. */

const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
const daemonsPerNode = 5;

export interface ScaleWorld {
  readonly nodes: number;
  readonly pods: number;
}

/** The n-th pod: the first five for each node are of DaemonSets, the others of Deployments with fifty pods each, spread over the nodes. */
export function podAt(index: number, { nodes }: ScaleWorld, resourceVersion: number, restarts = 0): object {
  const isDaemon = index < daemonsPerNode * nodes;
  const workload = isDaemon ? index % daemonsPerNode : Math.floor((index - daemonsPerNode * nodes) / 50);
  const node = isDaemon ? Math.floor(index / daemonsPerNode) : (index * 7919) % nodes;
  const owner = isDaemon ? `agent-${workload}` : `service-${workload}`;
  const name = isDaemon ? `${owner}-${code(index)}` : `${owner}-${code(workload)}-${code(index)}`;
  const token = `kube-api-access-${code(index)}`;
  return {
    metadata: {
      name,
      generateName: `${owner}-`,
      namespace: isDaemon ? "kube-system" : `team-${workload % 40}`,
      uid: uid(1, index),
      resourceVersion: String(resourceVersion),
      creationTimestamp: created,
      labels: podLabels(owner, workload),
      annotations: {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "9102",
        "kubectl.kubernetes.io/restartedAt": "2025-12-24T08:00:00Z",
        "sidecar.example.com/config": JSON.stringify({
          mesh: "main",
          mtls: true,
          retries: 3,
          outbound: "registry-only",
        }),
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: isDaemon ? "DaemonSet" : "ReplicaSet",
          name: owner,
          uid: uid(2, isDaemon ? workload : workload + daemonsPerNode),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [managedBy("kube-controller-manager", specFields), managedBy("kubelet", statusFields)],
    },
    spec: podSpec({ owner, workload, token, nodeName: nodeName(node), isDaemon }),
    status: podStatus(index, restarts),
  };
}

export function nodeAt(index: number, resourceVersion: number): object {
  const name = nodeName(index);
  const zone = zones[index % zones.length] ?? "";
  const types = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"];
  return {
    metadata: {
      name,
      uid: uid(5, index),
      resourceVersion: String(resourceVersion),
      creationTimestamp: created,
      labels: nodeLabels(name, zone),
      annotations: {
        "node.alpha.kubernetes.io/ttl": "0",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
      managedFields: [managedBy("kubelet", statusFields), managedBy("aws-cloud-controller-manager", statusFields)],
    },
    spec: { providerID: `aws:///${zone}/${instanceId(index)}` },
    status: {
      capacity: { cpu: "32", memory: "128Gi", pods: "110", "ephemeral-storage": "100Gi" },
      allocatable: { cpu: "31750m", memory: "120Gi", pods: "110", "ephemeral-storage": "90Gi" },
      conditions: types.map((type) => ({
        type,
        status: type === "Ready" ? "True" : "False",
        reason: "KubeletIsFine",
        message: "kubelet is posting ready status",
        lastHeartbeatTime: created,
        lastTransitionTime: created,
      })),
      addresses: [
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "Hostname", address: name },
      ],
      nodeInfo: {
        kubeletVersion: "v1.34.2",
        osImage: "Amazon Linux 2023",
        architecture: "amd64",
        operatingSystem: "linux",
      },
      images: Array.from({ length: 50 }, (_, n) => ({
        names: [`111122223333.dkr.ecr.us-east-1.amazonaws.com/service-${n}@sha256:${"4f".repeat(32)}`],
        sizeBytes: 100_000_000 + n,
      })),
    },
  };
}

export function nodeClaimAt(index: number, resourceVersion: number): object {
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  return {
    metadata: {
      name: `default-${code(index)}`,
      uid: uid(6, index),
      resourceVersion: String(resourceVersion),
      creationTimestamp: created,
      generation: 1,
      labels: nodeLabels(nodeName(index), zones[index % zones.length] ?? ""),
      finalizers: ["karpenter.sh/termination"],
      managedFields: [managedBy("journeyman", specFields)],
    },
    spec: {
      nodeClassRef,
      requirements: [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] }],
      resources: { requests: { cpu: "30", memory: "100Gi", pods: "40" } },
    },
    status: {
      providerID: `aws:///${zones[index % zones.length]}/${instanceId(index)}`,
      nodeName: nodeName(index),
      capacity: { cpu: "32", memory: "128Gi", pods: "110" },
      allocatable: { cpu: "31750m", memory: "120Gi", pods: "110" },
      conditions: ["Launched", "Registered", "Initialized", "Ready"].map((type) => ({
        type,
        status: "True",
        reason: type,
        message: "",
        lastTransitionTime: created,
      })),
    },
  };
}

export function csiNodeAt(index: number, resourceVersion: number): object {
  const name = nodeName(index);
  return {
    metadata: { name, uid: uid(7, index), resourceVersion: String(resourceVersion), creationTimestamp: created },
    spec: {
      drivers: [{ name: "ebs.csi.aws.com", nodeID: instanceId(index), topologyKeys: [], allocatable: { count: 25 } }],
    },
  };
}

function nodeLabels(name: string, zone: string): object {
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/os": "linux",
    "node.kubernetes.io/instance-type": "m6i.8xlarge",
    "topology.kubernetes.io/zone": zone,
    "topology.kubernetes.io/region": "us-east-1",
    "karpenter.sh/nodepool": "default",
    "karpenter.sh/capacity-type": "on-demand",
    "karpenter.sh/registered": "true",
    "karpenter.sh/initialized": "true",
  };
}

function managedBy(manager: string, fieldsV1: object): object {
  return { manager, operation: "Update", apiVersion: "v1", time: created, fieldsType: "FieldsV1", fieldsV1 };
}

const specFields = managedFields("f:spec", 40);
const statusFields = managedFields("f:status", 30);

function managedFields(root: string, count: number): object {
  const entries = Array.from({ length: count }, (_, n) => [`f:field${n}`, { ".": {}, "f:name": {}, "f:value": {} }]);
  return { [root]: Object.fromEntries(entries) };
}

function nodeName(index: number): string {
  return `ip-10-${index >> 8}-${index & 255}-7.ec2.internal`;
}

function instanceId(index: number): string {
  return `i-0${index.toString(16).padStart(16, "0")}`;
}
