import { type Pod, type PodSpec, pod } from "../shared/api/core.ts";
import { ec2NodeClass } from "../shared/api/ec2-node-class.ts";
import { label } from "../shared/api/labels.ts";
import { nodePool } from "../shared/api/node-pool.ts";
import type { Catalog, InstanceTypeFacts } from "../shared/cloud/catalog.ts";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import { Random } from "../shared/simulator/random.ts";
import { defaultSettings } from "../shared/state/settings.ts";
import type { Snapshot } from "../shared/state/snapshot.ts";
import { clusterOf } from "./world.ts";

/**
 * The world of Karpenter's scheduling benchmark (karpenter-core §10.1), drawn with our own random numbers: `count` pods of five equal
 * families, the rest of the first one, and 400 instance types whose price is linear in their size. No node exists.
 */
export function fiveFamilies(count: number, seed = 42): Snapshot {
  return clusterOf(fiveFamilyPods(count, new Random(seed)), {
    settings: { ...defaultSettings, vmMemoryOverheadPercent: 0 },
    nodePools: [linearPool],
    nodeClasses: [linearClass],
    catalog: linearCatalog,
  });
}

/** The same pods among all types that EC2 has and that can run them: some 900, on-demand and spot in six zones. */
export function fiveFamiliesOnEc2(count: number, seed = 42): Snapshot {
  return { ...fiveFamilies(count, seed), settings: defaultSettings, catalog: embeddedCatalog() };
}

const namespace = "bench";
const families = ["generic", "zone-spread", "hostname-spread", "zone-affinity", "hostname-anti-affinity"] as const;
type Family = (typeof families)[number];

function fiveFamilyPods(count: number, random: Random): readonly Pod[] {
  const each = Math.floor(count / families.length);
  const left = Array.from({ length: count - each * families.length }, () => "generic" as const);
  return [...families.flatMap((family) => Array.from({ length: each }, () => family)), ...left].map((family, index) =>
    podOf(family, `${family}-${index}`, random),
  );
}

function podOf(family: Family, name: string, random: Random): Pod {
  const labels = labelsOf(family, random);
  const cpu = `${random.pick([100, 250, 500, 1000, 1500])}m`;
  const memory = `${random.pick([100, 256, 512, 1024, 2048, 4096])}Mi`;
  return pod.parse({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: name, labels },
    spec: {
      containers: [{ name: "main", resources: { requests: { cpu, memory } } }],
      ...topologyOf(family, labels, random),
    },
    status: { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
  });
}

type Labels = Readonly<Record<string, string>>;

function labelsOf(family: Family, random: Random): Labels {
  if (family === "hostname-anti-affinity") return { app: "nginx" };
  return drawnLabels(family === "zone-affinity" ? "my-affinity" : "my-label", random);
}

function drawnLabels(key: string, random: Random): Labels {
  return { [key]: random.pick([..."abcdefg"]) };
}

/** Spread pods select by a label drawn anew: not always their own. */
function topologyOf(family: Family, own: Labels, random: Random): Partial<PodSpec> {
  switch (family) {
    case "generic":
      return {};
    case "zone-spread":
      return spreadOver(label.zone, drawnLabels("my-label", random));
    case "hostname-spread":
      return spreadOver(label.hostname, drawnLabels("my-label", random));
    case "zone-affinity":
      return { affinity: { podAffinity: required(label.zone, own) } };
    case "hostname-anti-affinity":
      return { affinity: { podAntiAffinity: required(label.hostname, own) } };
  }
}

function spreadOver(topologyKey: string, matchLabels: Labels): Partial<PodSpec> {
  const whenUnsatisfiable = "DoNotSchedule";
  return {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector: { matchLabels } }],
  };
}

function required(topologyKey: string, matchLabels: Labels) {
  return { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels } }] };
}

const bytesPerMib = 1024 ** 2;

function linearFacts(vcpus: number): InstanceTypeFacts {
  return {
    name: `linear1.${vcpus}`,
    arch: "amd64",
    vcpus,
    memoryMib: 2048 * vcpus,
    pods: 10 * vcpus,
    cpuManufacturer: "any",
    hypervisor: "any",
    bareMetal: false,
    encryptionInTransit: false,
    nitroEnclaves: false,
    branchInterfaces: 0,
    efaInterfaces: 0,
    devices: {},
  };
}

const linearTypes = Array.from({ length: 400 }, (_, index) => linearFacts(index + 1));
/** USD per hour: a tenth for each CPU and for each 10^9 bytes, whatever the zone and the capacity type. */
const linearPrices = linearTypes.map(
  ({ name, vcpus, memoryMib }) => [name, 0.1 * vcpus + (0.1 * memoryMib * bytesPerMib) / 1e9] as const,
);
const zones = ["test-zone-1", "test-zone-2", "test-zone-3"] as const;

/** On-demand in three zones, spot in two of them. */
const linearCatalog: Catalog = {
  region: "test",
  zones,
  types: linearTypes,
  onDemandPrices: new Map(linearPrices),
  spotPrices: new Map(
    linearPrices.map(([name, price]) => [name, new Map(zones.slice(0, 2).map((zone) => [zone, price]))]),
  ),
  zonesByType: new Map(linearTypes.map(({ name }) => [name, zones])),
};

/** A node keeps 100 m of CPU and 10 Mi of memory, and nothing against eviction. */
const linearClass = ec2NodeClass.parse({
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "linear" },
  spec: {
    role: "node",
    amiSelectorTerms: [{ alias: "al2023@latest" }],
    subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "bench" } }],
    securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "bench" } }],
    kubelet: {
      kubeReserved: { cpu: "100m", memory: "10Mi" },
      evictionHard: { "memory.available": "100%", "nodefs.available": "100%" },
    },
  },
});

const linearPool = nodePool.parse({
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "linear" },
  spec: {
    limits: { cpu: "10000000", memory: "10000000Gi" },
    template: {
      spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "linear" }, requirements: [] },
    },
  },
});
