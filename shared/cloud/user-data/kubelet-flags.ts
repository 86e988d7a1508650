import type { NodeBootstrap } from "./node-bootstrap.ts";

/** `--node-labels="k=v,…"`, its keys sorted: how every family but Bottlerocket is told the node's labels (karpenter-aws §5). */
export function nodeLabelsFlag({ labels }: Pick<NodeBootstrap, "labels">): string {
  return `--node-labels="${pairs(labels, "=")}"`;
}

/** The kubelet's arguments for families whose bootstrap script takes them as text: AL2 and Windows (karpenter-aws §5.2). */
export function kubeletFlags({ labels, taints, maxPods, kubelet = {} }: NodeBootstrap): string {
  const registered = taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ""}:${effect}`);
  const flags: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ["max-pods", maxPods],
    ["pods-per-core", kubelet.podsPerCore],
    ["system-reserved", pairs(kubelet.systemReserved, "=")],
    ["kube-reserved", pairs(kubelet.kubeReserved, "=")],
    ["eviction-hard", pairs(kubelet.evictionHard, "<")],
    ["eviction-soft", pairs(kubelet.evictionSoft, "<")],
    ["eviction-soft-grace-period", pairs(kubelet.evictionSoftGracePeriod, "=")],
    ["eviction-max-pod-grace-period", kubelet.evictionMaxPodGracePeriod],
    ["image-gc-high-threshold", kubelet.imageGCHighThresholdPercent],
    ["image-gc-low-threshold", kubelet.imageGCLowThresholdPercent],
    ["cpu-cfs-quota", kubelet.cpuCFSQuota],
  ];
  return [
    nodeLabelsFlag({ labels }),
    ...(registered.length === 0 ? [] : [`--register-with-taints="${registered.join(",")}"`]),
    ...flags.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [`--${name}=${value}`])),
  ].join(" ");
}

/** `a=1,b=2` in the order of the keys. */
function pairs(map: Readonly<Record<string, string>> | undefined, sign: "=" | "<"): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}${sign}${value}`)
    .join(",");
}
