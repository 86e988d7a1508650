import { parse } from "yaml";
import * as z from "zod";
import { label } from "../api/labels.ts";
import { type Taint, taint } from "../api/schema.ts";
import type { InstanceType } from "../cloud/instance-type.ts";
import type { Ec2Instance } from "../ports.ts";
import type { Resources } from "../scheduling/resources.ts";

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

/** The Node that an AL2023 instance makes of its user data (karpenter-aws §5.1) and of the machine that it is. */
export function nodeRegistration(instance: Ec2Instance, userData: string, type: InstanceType): NodeRegistration {
  const { labels, taints, maxPods } = kubeletConfiguration(userData);
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

interface KubeletConfiguration {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods?: number;
}

const nodeConfig = z.object({
  apiVersion: z.literal("node.eks.aws/v1alpha1"),
  kind: z.literal("NodeConfig"),
  spec: z.object({
    kubelet: z
      .object({
        config: z
          .object({
            maxPods: z.number().int().exactOptional(),
            registerWithTaints: z.array(taint).nullish(),
          })
          .exactOptional(),
        flags: z.array(z.string()).exactOptional(),
      })
      .exactOptional(),
  }),
});

/** Of several NodeConfig parts the later wins, as nodeadm merges them; flags add up. */
function kubeletConfiguration(userData: string): KubeletConfiguration {
  return nodeConfigParts(userData).reduce<KubeletConfiguration>(
    (earlier, text) => {
      const { kubelet } = nodeConfig.parse(parse(text)).spec;
      const maxPods = kubelet?.config?.maxPods ?? earlier.maxPods;
      return {
        labels: { ...earlier.labels, ...labelsOfFlags(kubelet?.flags ?? []) },
        taints: kubelet?.config?.registerWithTaints ?? earlier.taints,
        ...(maxPods !== undefined && { maxPods }),
      };
    },
    { labels: {}, taints: [] },
  );
}

function nodeConfigParts(userData: string): readonly string[] {
  const boundary = /^Content-Type:\s*multipart\/mixed;\s*boundary="?([^"\r\n]+)"?/im.exec(userData)?.[1];
  if (boundary === undefined) {
    return /^kind:\s*NodeConfig\s*$/m.test(userData) ? [userData] : [];
  }
  const lines = userData.replaceAll("\r", "").split("\n");
  const parts = lines.join("\n").split(`\n--${boundary}`).slice(1);
  return parts.flatMap((part) => {
    const end = part.indexOf("\n\n", 1);
    const isNodeConfig = /^Content-Type:\s*application\/node\.eks\.aws/im.test(part.slice(0, end));
    return end > 0 && isNodeConfig ? [part.slice(end + 2)] : [];
  });
}

/** `--node-labels=a=b,c=d`, quoted or not. */
function labelsOfFlags(flags: readonly string[]): Readonly<Record<string, string>> {
  const pairs = flags.flatMap((flag) => /^--node-labels=(.*)$/.exec(flag)?.[1]?.replaceAll('"', "").split(",") ?? []);
  return Object.fromEntries(
    pairs
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)]),
  );
}
