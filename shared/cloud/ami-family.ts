import { parseAmiAlias } from "../api/ami-alias.ts";
import type { AmiFamily, EC2NodeClass } from "../api/ec2-node-class.ts";

/** What a family of machine images decides about a node's capacity and labels (karpenter-aws §2.2, §2.3). */
export interface AmiFamilyTraits {
  readonly os: "linux" | "windows";
  /** Value of `node.kubernetes.io/windows-build`. */
  readonly windowsBuild?: string;
  /** Device whose volume holds pods' ephemeral storage. Absent for Custom: its image decides. */
  readonly ephemeralDevice?: string;
  readonly defaultVolumeGib: number;
  /** Pods are limited by network interfaces; otherwise 110. */
  readonly podsLimitedByInterfaces: boolean;
  readonly honoursPodsPerCore: boolean;
  /** Memory is reserved for as many pods as the interfaces allow, even if `maxPods` is lower. */
  readonly reservesForInterfacePods: boolean;
}

/** The family of a class: `amiFamily` if set, else that of its alias. A class that passed validation has one of them; without both it is Custom. */
export function resolveAmiFamily(nodeClass: EC2NodeClass): AmiFamily {
  const { amiFamily, amiSelectorTerms } = nodeClass.spec;
  const alias = amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  return amiFamily ?? parseAmiAlias(alias ?? "")?.family ?? "Custom";
}

/** The traits of a family. */
export function amiFamilyTraits(family: AmiFamily): AmiFamilyTraits {
  return traits[family];
}

const amazonLinux: AmiFamilyTraits = {
  os: "linux",
  ephemeralDevice: "/dev/xvda",
  defaultVolumeGib: 20,
  podsLimitedByInterfaces: true,
  honoursPodsPerCore: true,
  reservesForInterfacePods: true,
};

function windows(windowsBuild: string): AmiFamilyTraits {
  return {
    os: "windows",
    windowsBuild,
    ephemeralDevice: "/dev/sda1",
    defaultVolumeGib: 50,
    podsLimitedByInterfaces: false,
    honoursPodsPerCore: true,
    reservesForInterfacePods: false,
  };
}

const traits: Readonly<Record<AmiFamily, AmiFamilyTraits>> = {
  AL2: amazonLinux,
  AL2023: amazonLinux,
  Bottlerocket: {
    ...amazonLinux,
    ephemeralDevice: "/dev/xvdb",
    honoursPodsPerCore: false,
    reservesForInterfacePods: false,
  },
  Custom: {
    os: "linux",
    defaultVolumeGib: 20,
    podsLimitedByInterfaces: true,
    honoursPodsPerCore: true,
    reservesForInterfacePods: true,
  },
  Windows2019: windows("10.0.17763"),
  Windows2022: windows("10.0.20348"),
  Windows2025: windows("10.0.26100"),
};
