import { label } from "../api/labels.ts";
import type { Taint } from "../api/schema.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import type { Ec2Instance } from "../ports.ts";
import type { Resources } from "../scheduling/resources.ts";
import { bootstrapSettings } from "./bootstrap-settings.ts";

/** What a kubelet would register: labels and taints from its configuration and from the cloud controller manager. */
export interface NodeRegistration {
  readonly name: string;
  readonly providerId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** Volumes of pods that it can attach, by CSI driver. */
  readonly attachLimits: Readonly<Record<string, number>>;
}

/** The Node that an instance makes of its user data, whatever its image's family (karpenter-aws §5), and of the machine that it is. */
export function nodeRegistration(instance: Ec2Instance, userData: string, type: InstanceType): NodeRegistration {
  const { labels, taints, maxPods } = bootstrapSettings(userData);
  const name = instance.privateDnsName ?? instance.instanceId;
  const pods = maxPods === undefined ? {} : { pods: maxPods };
  return {
    name,
    providerId: `aws:///${instance.zone}/${instance.instanceId}`,
    labels: {
      ...labels,
      ...Object.fromEntries(machineLabels.flatMap((key) => onlyValues(type, key).map((value) => [key, value]))),
      [label.instanceType]: instance.instanceType,
      [label.zone]: instance.zone,
      [label.hostname]: name,
    },
    taints,
    capacity: { ...type.capacity, ...pods },
    allocatable: { ...type.allocatable, ...pods },
    attachLimits: type.attachLimits,
  };
}

/** Labels that the kubelet and the cloud controller manager know without being told. */
const machineLabels = [label.arch, label.os, label.region] as const;

function onlyValues(type: InstanceType, key: string): readonly string[] {
  const values = [...(type.requirements.get(key)?.values ?? [])];
  return values.length === 1 ? values : [];
}
