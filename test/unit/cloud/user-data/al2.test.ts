import { describe, expect, it } from "vitest";
import { nodeBootstrap, userDataText } from "../../../support/node-bootstraps.ts";

const kubelet = {
  clusterDNS: ["169.254.20.10"],
  podsPerCore: 4,
  systemReserved: { memory: "1Gi", cpu: "100m" },
  kubeReserved: { cpu: "200m" },
  evictionHard: { "nodefs.available": "10%", "memory.available": "200Mi" },
  evictionSoft: { "memory.available": "500Mi" },
  evictionSoftGracePeriod: { "memory.available": "1m30s" },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: false,
};

describe("AL2 user data", () => {
  it("is one call of the bootstrap script, to the byte", () => {
    expect(userDataText("AL2", nodeBootstrap())).toBe(`MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -xe
exec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'shop' \\
  --apiserver-endpoint 'https://shop.example' \\
  --b64-cluster-ca 'Y2E=' \\
  --dns-cluster-ip '10.100.0.10' \\
  --use-max-pods false \\
  --kubelet-extra-args '--node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=29'
--//--
`);
  });

  it("tells the kubelet each setting of the class by an argument of its own, maps in order", () => {
    const taints = [
      { key: "gpu", value: "yes", effect: "NoSchedule" as const },
      { key: "cni", effect: "NoExecute" as const },
    ];
    const text = userDataText("AL2", nodeBootstrap({ kubelet, taints, labels: { team: "a", "team.x": "b" } }));
    expect(text).toContain("--dns-cluster-ip '169.254.20.10'");
    expect(extraArguments(text)).toEqual([
      '--node-labels="team=a,team.x=b"',
      '--register-with-taints="gpu=yes:NoSchedule,cni:NoExecute"',
      "--max-pods=29",
      "--pods-per-core=4",
      "--system-reserved=cpu=100m,memory=1Gi",
      "--kube-reserved=cpu=200m",
      "--eviction-hard=memory.available<200Mi,nodefs.available<10%",
      "--eviction-soft=memory.available<500Mi",
      "--eviction-soft-grace-period=memory.available=1m30s",
      "--eviction-max-pod-grace-period=60",
      "--image-gc-high-threshold=85",
      "--image-gc-low-threshold=80",
      "--cpu-cfs-quota=false",
    ]);
  });

  it("says that a cluster is one of IPv6 when its DNS server is, and names none that is not known", () => {
    const { dnsAddress: _, ...withoutDns } = nodeBootstrap().cluster;
    const cluster = { ...withoutDns, dnsAddress: "fd00::a" };
    expect(userDataText("AL2", nodeBootstrap({ cluster }))).toContain(
      "--ip-family ipv6 \\\n  --dns-cluster-ip 'fd00::a'",
    );
    expect(userDataText("AL2", nodeBootstrap({ cluster: withoutDns }))).not.toMatch(/dns-cluster-ip|ip-family/);
  });

  it("makes one array of the local disks", () => {
    const text = userDataText("AL2", nodeBootstrap({ instanceStorePolicy: "RAID0" }));
    expect(text).toMatch(/' \\\n {2}--local-disks raid0\n--\/\/--\n$/);
  });

  it.each([
    ["a script", "#!/bin/bash\necho hello\n"],
    ["YAML, which AL2 knows nothing of,", "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"],
  ])("runs %s as a shell script before its own", (_, custom) => {
    expect(userDataText("AL2", nodeBootstrap(), custom)).toContain(
      `boundary="//"\n\n--//\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n${custom}--//\n`,
    );
  });

  it("keeps a quotation mark within its argument", () => {
    const cluster = { ...nodeBootstrap().cluster, endpoint: "https://a'b" };
    expect(userDataText("AL2", nodeBootstrap({ cluster }))).toContain("--apiserver-endpoint 'https://a'\\''b'");
  });
});

function extraArguments(text: string): readonly string[] {
  return (/--kubelet-extra-args '([^']*)'/.exec(text)?.[1] ?? "").split(" ");
}
