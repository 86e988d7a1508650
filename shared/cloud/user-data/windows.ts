import { kubeletFlags } from "./kubelet-flags.ts";
import { dnsAddressOf, type NodeBootstrap } from "./node-bootstrap.ts";

export type WindowsUserData =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "invalid"; readonly reason: string };

/** One PowerShell block: the person's commands, then the call of the image's bootstrap script (karpenter-aws §5.4). Equal input gives equal bytes. */
export function windowsUserData(bootstrap: NodeBootstrap, custom: string): WindowsUserData {
  const tag = /<\/?powershell>/i.exec(custom)?.[0];
  if (tag !== undefined) {
    const reason = `found ${tag}, expected the commands alone: the block around them is added, and cannot hold another`;
    return { kind: "invalid", reason };
  }
  const own = custom.trim() === "" ? [] : [custom.replaceAll("\r", "").replace(/\n$/, "")];
  return {
    kind: "text",
    text: ["<powershell>", ...own, ...bootstrapCommands(bootstrap), "</powershell>", ""].join("\n"),
  };
}

function bootstrapCommands(bootstrap: NodeBootstrap): readonly string[] {
  const { cluster } = bootstrap;
  const dnsAddress = dnsAddressOf(bootstrap);
  const args = [
    `-EKSClusterName ${quoted(cluster.name)}`,
    `-APIServerEndpoint ${quoted(cluster.endpoint)}`,
    `-Base64ClusterCA ${quoted(cluster.certificateAuthority)}`,
    `-KubeletExtraArgs ${quoted(kubeletFlags(bootstrap))}`,
    ...(dnsAddress === undefined ? [] : [`-DNSClusterIP ${quoted(dnsAddress)}`]),
  ];
  return [
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    `& $EKSBootstrapScriptFile ${args.join(" ")}`,
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
