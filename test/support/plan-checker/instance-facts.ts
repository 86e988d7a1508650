import type { NodeSelectorRequirement } from "../../../shared/api/core.ts";
import type { EC2NodeClass } from "../../../shared/api/ec2-node-class.ts";
import type { InstanceTypeFacts } from "../../../shared/cloud/catalog.ts";
import type { Snapshot } from "../../../shared/state/snapshot.ts";
import type { Amounts } from "./amounts.ts";
import { expressionHolds, type Labels, withOldSpellings } from "./node-matching.ts";

/** What is bought: the parts of an offering that become labels. */
export interface Bought {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly reservationId?: string;
  readonly reservationType?: string;
  readonly interruptible?: boolean;
}

/** Labels that a node of ours gets from what it is (karpenter-aws §2.4), in both spellings where there are two. */
export function instanceLabels(
  facts: InstanceTypeFacts,
  { zone, capacityType, ...reservation }: Bought,
  nodeClass: EC2NodeClass | undefined,
  region: string,
): Labels {
  const zoneId = nodeClass?.status?.subnets?.find((subnet) => subnet.zone === zone)?.zoneID;
  return withOldSpellings({
    ...typeLabels(facts),
    ...osLabels(nodeClass),
    ...reservationLabels(reservation),
    "topology.kubernetes.io/zone": zone,
    "topology.kubernetes.io/region": region,
    "karpenter.sh/capacity-type": capacityType,
    "karpenter.sh/registered": "true",
    "karpenter.sh/initialized": "true",
    ...(zoneId !== undefined && { "topology.k8s.aws/zone-id": zoneId }),
  });
}

type Reservation = Pick<Bought, "reservationId" | "reservationType" | "interruptible">;

function reservationLabels({ reservationId, reservationType, interruptible }: Reservation): Labels {
  if (reservationId === undefined) return {};
  return {
    "karpenter.k8s.aws/capacity-reservation-id": reservationId,
    ...(reservationType !== undefined && { "karpenter.k8s.aws/capacity-reservation-type": reservationType }),
    ...(interruptible !== undefined && {
      "karpenter.k8s.aws/capacity-reservation-interruptible": String(interruptible),
    }),
  };
}

const known = new WeakMap<InstanceTypeFacts, Labels>();

export function typeLabels(facts: InstanceTypeFacts): Labels {
  let labels = known.get(facts);
  if (labels === undefined) {
    labels = readTypeLabels(facts);
    known.set(facts, labels);
  }
  return labels;
}

function readTypeLabels(facts: InstanceTypeFacts): Labels {
  const { name, gpu, accelerator } = facts;
  const [family = "", size = ""] = name.split(".");
  const [, category, generation] = /^([a-z]+)(?:-\d+tb)?(\d+)/.exec(name) ?? [];
  const own: Record<string, string | number | boolean | undefined> = {
    "instance-category": category,
    "instance-generation": generation,
    "instance-family": family,
    "instance-size": size,
    "instance-capability-flex": family.endsWith("-flex"),
    "instance-cpu": facts.vcpus,
    "instance-cpu-manufacturer": facts.cpuManufacturer,
    "instance-cpu-sustained-clock-speed-mhz": facts.cpuClockMhz,
    "instance-memory": facts.memoryMib,
    "instance-hypervisor": facts.hypervisor,
    "instance-encryption-in-transit-supported": facts.encryptionInTransit,
    "nitro-sandbox": facts.nitroEnclaves || undefined,
    "instance-ebs-bandwidth": facts.ebsBandwidthMbps,
    "instance-network-bandwidth": facts.networkBandwidthMbps,
    "instance-local-nvme": facts.localNvmeGb,
    "instance-gpu-name": gpu?.name,
    "instance-gpu-manufacturer": gpu?.manufacturer,
    "instance-gpu-count": gpu?.count,
    "instance-gpu-memory": gpu?.memoryMib,
    "instance-accelerator-name": accelerator?.name,
    "instance-accelerator-manufacturer": accelerator?.manufacturer,
    "instance-accelerator-count": accelerator?.count,
  };
  const stated = Object.entries(own).filter(([, value]) => value !== undefined);
  return {
    "node.kubernetes.io/instance-type": name,
    "kubernetes.io/arch": facts.arch,
    ...Object.fromEntries(stated.map(([key, value]) => [`karpenter.k8s.aws/${key}`, String(value)])),
  };
}

const windowsBuilds: Readonly<Record<string, string>> = { 2019: "10.0.17763", 2022: "10.0.20348", 2025: "10.0.26100" };

function osLabels(nodeClass: EC2NodeClass | undefined): Labels {
  const alias = nodeClass?.spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias ?? "";
  const [, year] = /^windows(\d{4})/i.exec(nodeClass?.spec.amiFamily ?? alias) ?? [];
  const build = windowsBuilds[year ?? ""];
  return {
    "kubernetes.io/os": year === undefined ? "linux" : "windows",
    ...(build !== undefined && { "node.kubernetes.io/windows-build": build }),
  };
}

/** CPU, memory and devices of an instance, as far as its facts and what is known of its memory tell (karpenter-aws §2.2). */
export function instanceCapacity(
  facts: InstanceTypeFacts,
  nodeClass: EC2NodeClass | undefined,
  { settings, learnedMemory = [] }: Snapshot,
): Amounts {
  const mib = facts.memoryMib - (facts.arch === "arm64" ? 64 : 0);
  const image = imageOf(facts, nodeClass);
  const reported = learnedMemory.filter(
    ({ instanceType, imageId }) => instanceType === facts.name && imageId === image,
  );
  const estimated = (mib - Math.ceil(mib * settings.vmMemoryOverheadPercent)) * 2 ** 20;
  return {
    ...facts.devices,
    cpu: facts.vcpus * 1_000,
    memory: reported.length === 0 ? estimated : Math.min(...reported.map(({ capacityBytes }) => capacityBytes)),
  };
}

/** The id of the image that the class starts the type with: the first that suits it. */
function imageOf(facts: InstanceTypeFacts, nodeClass: EC2NodeClass | undefined): string | undefined {
  const labels = { ...typeLabels(facts), ...osLabels(nodeClass) };
  const images = nodeClass?.status?.amis ?? [];
  return images.find(({ requirements }) =>
    requirements.every(({ key, operator, values = [] }) =>
      expressionHolds({ key, operator: operator as NodeSelectorRequirement["operator"], values }, labels),
    ),
  )?.id;
}
