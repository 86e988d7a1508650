import { kubeletFlags } from "./kubelet-flags.ts";
import { formatMultipart, type MimePart, mimePart, shellScriptType } from "./mime.ts";
import { dnsAddressOf, type NodeBootstrap } from "./node-bootstrap.ts";

/** User data for AL2: the person's parts, then the call of the image's bootstrap script (karpenter-aws §5.2). Equal input gives equal bytes. */
export function al2UserData(bootstrap: NodeBootstrap, custom: readonly MimePart[]): string {
  return formatMultipart([...custom, mimePart(shellScriptType, bootstrapScript(bootstrap))]);
}

function bootstrapScript(bootstrap: NodeBootstrap): string {
  const { cluster, instanceStorePolicy } = bootstrap;
  const dnsAddress = dnsAddressOf(bootstrap);
  const args = [
    quoted(cluster.name),
    `--apiserver-endpoint ${quoted(cluster.endpoint)}`,
    `--b64-cluster-ca ${quoted(cluster.certificateAuthority)}`,
    ...(dnsAddress?.includes(":") ? ["--ip-family ipv6"] : []),
    ...(dnsAddress === undefined ? [] : [`--dns-cluster-ip ${quoted(dnsAddress)}`]),
    // The count of pods is always among the kubelet's arguments, so the script must not work out its own.
    "--use-max-pods false",
    `--kubelet-extra-args ${quoted(kubeletFlags(bootstrap))}`,
    ...(instanceStorePolicy === "RAID0" ? ["--local-disks raid0"] : []),
  ];
  return `${header}/etc/eks/bootstrap.sh ${args.join(" \\\n  ")}\n`;
}

/** Stops at the first failure, and keeps what was said where a person looks for it. */
const header = `#!/bin/bash -xe
exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1
`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
