import type { AmiFamily, KubeletConfiguration } from "../../api/ec2-node-class.ts";
import { managedKubeletKeys } from "../../api/kubelet-validation.ts";

/**
 * What of the class's kubelet settings a family's nodes cannot be given: a condition's reason and message. AL2023 takes every setting, and a
 * Custom image is not ours to configure (karpenter-aws §1.4).
 */
export function kubeletObstacle(
  family: AmiFamily,
  kubelet: KubeletConfiguration | undefined,
): readonly [reason: "UnsupportedKubeletConfiguration", message: string] | undefined {
  if (family === "AL2023" || family === "Custom" || kubelet === undefined) return undefined;
  const unknown = Object.keys(kubelet).find((key) => !managedKubeletKeys.has(key));
  const message =
    unknown !== undefined
      ? `spec.kubelet.${unknown}: ${family} cannot be given it, accepted are ${[...managedKubeletKeys].join(", ")}`
      : family === "Bottlerocket" && kubelet.podsPerCore !== undefined
        ? "spec.kubelet.podsPerCore: Bottlerocket has no such setting; set maxPods"
        : (kubelet.clusterDNS?.length ?? 0) > 1
          ? `spec.kubelet.clusterDNS: found ${kubelet.clusterDNS?.length} addresses, ${family} takes one`
          : undefined;
  return message === undefined ? undefined : ["UnsupportedKubeletConfiguration", message];
}
