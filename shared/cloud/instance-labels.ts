import { awsGroup, label } from "../api/labels.ts";
import { type Requirement, type Requirements, requirement } from "../scheduling/requirements.ts";
import type { InstanceTypeFacts } from "./catalog.ts";

type LabelValue = string | number | undefined;

/**
 * What a type's labels say whatever class runs it (karpenter-aws §2.4). A label it has no value for must not exist, so that a pod that asks for
 * a GPU does not land on a type without one. Equal requirements are the same object.
 */
export function typeRequirements(facts: InstanceTypeFacts): Requirements {
  const cached = requirementsByFacts.get(facts);
  if (cached !== undefined) return cached;
  const requirements = new Map<string, Requirement>([[tenancy.key, tenancy]]);
  for (const { key, read, known } of typeLabels) requirements.set(key, valueRequirement(key, read(facts), known));
  requirementsByFacts.set(facts, requirements);
  return requirements;
}

/** `key In [value]`, or `key DoesNotExist` when there is no value; the one among `known` if it is there. */
export function valueRequirement(
  key: string,
  value: LabelValue,
  known: Map<LabelValue, Requirement> = new Map(),
): Requirement {
  const shared = known.get(value);
  if (shared !== undefined) return shared;
  const created = value === undefined ? requirement(key, "DoesNotExist") : requirement(key, "In", [String(value)]);
  known.set(value, created);
  return created;
}

const requirementsByFacts = new WeakMap<InstanceTypeFacts, Requirements>();
const tenancy = requirement(label.tenancy, "In", ["default", "dedicated"]);

/** Placement groups and reservations are a class's: no type has their labels by itself. */
const awsLabels: Readonly<Record<string, (facts: InstanceTypeFacts) => LabelValue>> = {
  "instance-category": ({ name }) => nameParts.exec(name)?.[1],
  "instance-generation": ({ name }) => nameParts.exec(name)?.[2],
  "instance-family": ({ name }) => name.slice(0, name.indexOf(".")),
  "instance-size": ({ name }) => name.slice(name.indexOf(".") + 1),
  "instance-capability-flex": ({ name }) => String(name.includes("-flex.")),
  "instance-cpu": ({ vcpus }) => vcpus,
  "instance-cpu-manufacturer": ({ cpuManufacturer }) => cpuManufacturer,
  "instance-cpu-sustained-clock-speed-mhz": ({ cpuClockMhz }) => cpuClockMhz,
  "instance-memory": ({ memoryMib }) => memoryMib,
  "instance-hypervisor": ({ hypervisor }) => hypervisor,
  "instance-encryption-in-transit-supported": ({ encryptionInTransit }) => String(encryptionInTransit),
  "nitro-sandbox": ({ nitroEnclaves }) => (nitroEnclaves ? "true" : undefined),
  "instance-ebs-bandwidth": ({ ebsBandwidthMbps }) => ebsBandwidthMbps,
  "instance-network-bandwidth": ({ networkBandwidthMbps }) => networkBandwidthMbps,
  "instance-local-nvme": ({ localNvmeGb }) => localNvmeGb,
  "instance-gpu-name": ({ gpu }) => gpu?.name,
  "instance-gpu-manufacturer": ({ gpu }) => gpu?.manufacturer,
  "instance-gpu-count": ({ gpu }) => gpu?.count,
  "instance-gpu-memory": ({ gpu }) => gpu?.memoryMib,
  "instance-accelerator-name": ({ accelerator }) => accelerator?.name,
  "instance-accelerator-manufacturer": ({ accelerator }) => accelerator?.manufacturer,
  "instance-accelerator-count": ({ accelerator }) => accelerator?.count,
  "capacity-reservation-id": () => undefined,
  "capacity-reservation-type": () => undefined,
  "capacity-reservation-interruptible": () => undefined,
  "placement-group-id": () => undefined,
  "placement-group-partition": () => undefined,
};

/** Letters, for high-memory types their terabytes, digits. */
const nameParts = /^([a-z]+)(?:-[0-9]+tb)?([0-9]+)/;

interface TypeLabel {
  readonly key: string;
  readonly read: (facts: InstanceTypeFacts) => LabelValue;
  /** Requirements made so far, by value, to be shared between types. */
  readonly known: Map<LabelValue, Requirement>;
}

const typeLabels: readonly TypeLabel[] = [
  { key: label.instanceType, read: ({ name }) => name, known: new Map() },
  { key: label.arch, read: ({ arch }) => arch, known: new Map() },
  ...Object.entries(awsLabels).map(([name, read]) => ({ key: `${awsGroup}/${name}`, read, known: new Map() })),
];
