import type { KubeletConfiguration } from "../../api/ec2-node-class.ts";
import type { Taint } from "../../api/schema.ts";
import type { ClusterEndpoint } from "../../ports.ts";

/** What a node is told at its first start, whatever its image's family (karpenter-aws §5). */
export interface NodeBootstrap {
  readonly cluster: ClusterEndpoint;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  readonly kubelet?: KubeletConfiguration;
  readonly instanceStorePolicy?: "RAID0";
  /** Release of the image, such as `1.46.0`, where it is known. Bottlerocket's commands depend on it. */
  readonly imageVersion?: string;
}

/** The DNS server of families that take one only: the class's own, else the cluster's. */
export function dnsAddressOf({ cluster, kubelet }: NodeBootstrap): string | undefined {
  return kubelet?.clusterDNS?.[0] ?? cluster.dnsAddress;
}

/** Whether nodes and pods have IPv6 addresses: the family of the cluster's DNS server, else of its services (karpenter-aws §5). */
export function isIpv6Cluster({ dnsAddress, serviceCidr }: ClusterEndpoint): boolean {
  return (dnsAddress ?? serviceCidr).includes(":");
}
