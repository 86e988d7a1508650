import { describe, expect, it } from "vitest";
import { userData } from "../../../../shared/cloud/user-data/user-data.ts";
import { nodeBootstrap, userDataText } from "../../../support/node-bootstraps.ts";

describe("Windows user data", () => {
  it("is one PowerShell block with the person's commands first, to the byte", () => {
    const custom = 'Write-Host "one"\r\nWrite-Host "two"\r\n';
    expect(userDataText("Windows2022", nodeBootstrap({ kubelet: { evictionMaxPodGracePeriod: 60 } }), custom)).toBe(
      `<powershell>
Write-Host "one"
Write-Host "two"
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'shop' -APIServerEndpoint 'https://shop.example' -Base64ClusterCA 'Y2E=' -KubeletExtraArgs '--node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=29 --eviction-max-pod-grace-period=60' -DNSClusterIP '10.100.0.10'
</powershell>
`,
    );
  });

  it.each(["Windows2019", "Windows2022", "Windows2025"] as const)("is the same for %s", (family) => {
    expect(userDataText(family, nodeBootstrap())).toMatch(/^<powershell>\n\[string\]\$EKSBootstrapScriptFile/);
  });

  it("keeps a quotation mark within its argument, and names no DNS server that is not known", () => {
    const { dnsAddress: _, ...cluster } = nodeBootstrap().cluster;
    const text = userDataText("Windows2022", nodeBootstrap({ cluster: { ...cluster, endpoint: "https://a'b" } }));
    expect(text).toContain("-APIServerEndpoint 'https://a''b'");
    expect(text).not.toContain("DNSClusterIP");
  });

  it("refuses commands in a block of their own, with which the node would never get to its bootstrap", () => {
    expect(userData("Windows2022", nodeBootstrap(), "<PowerShell>\nWrite-Host 1\n</PowerShell>")).toMatchObject({
      reason: "InvalidUserData",
      message: expect.stringContaining("spec.userData: found <PowerShell>, expected the commands alone"),
    });
  });
});
