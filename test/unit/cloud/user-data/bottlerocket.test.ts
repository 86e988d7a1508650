import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { imageVersion } from "../../../../shared/cloud/image-version.ts";
import { userData } from "../../../../shared/cloud/user-data/user-data.ts";
import { nodeBootstrap, userDataText } from "../../../support/node-bootstraps.ts";
import { nodeClass } from "../../../support/node-classes.ts";

describe("Bottlerocket user data", () => {
  it("is the settings of Kubernetes in TOML, to the byte", () => {
    expect(userDataText("Bottlerocket", nodeBootstrap())).toBe(`[settings.kubernetes]
api-server = "https://shop.example"
cluster-certificate = "Y2E="
cluster-dns-ip = "10.100.0.10"
cluster-name = "shop"
max-pods = 29

[settings.kubernetes.node-labels]
"karpenter.sh/capacity-type" = "spot"
"karpenter.sh/nodepool" = "default"

[settings.kubernetes.node-taints]
"karpenter.sh/unregistered" = [ ":NoExecute" ]
`);
  });

  it("has the class's kubelet settings under Bottlerocket's names, percentages as text", () => {
    const kubelet = {
      clusterDNS: ["169.254.20.10"],
      systemReserved: { cpu: "100m" },
      kubeReserved: { memory: "1Gi" },
      evictionHard: { "memory.available": "5%" },
      evictionSoft: { "memory.available": "10%" },
      evictionSoftGracePeriod: { "memory.available": "1m" },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      cpuCFSQuota: false,
    };
    expect(kubernetesOf(userDataText("Bottlerocket", nodeBootstrap({ kubelet })))).toMatchObject({
      "cluster-dns-ip": "169.254.20.10",
      "system-reserved": { cpu: "100m" },
      "kube-reserved": { memory: "1Gi" },
      "eviction-hard": { "memory.available": "5%" },
      "eviction-soft": { "memory.available": "10%" },
      "eviction-soft-grace-period": { "memory.available": "1m" },
      "eviction-max-pod-grace-period": 60,
      "image-gc-high-threshold-percent": "85",
      "image-gc-low-threshold-percent": "80",
      "cpu-cfs-quota-enforced": false,
    });
  });

  it("takes the person's settings where it has none, adds labels and replaces taints", () => {
    const custom = `[settings.kubernetes]
max-pods = 9
log-level = 3
made-up = "x"
[settings.kubernetes.node-labels]
mine = "1"
"karpenter.sh/nodepool" = "other"
[settings.kubernetes.node-taints]
mine = ["x:NoSchedule"]
[settings.host-containers.admin]
enabled = true
share = 1.0
`;
    const taints = [
      { key: "gpu", value: "yes", effect: "NoSchedule" as const },
      { key: "gpu", effect: "NoExecute" as const },
    ];
    const text = userDataText("Bottlerocket", nodeBootstrap({ taints }), custom);
    expect(kubernetesOf(text)).toEqual({
      "api-server": "https://shop.example",
      "cluster-certificate": "Y2E=",
      "cluster-dns-ip": "10.100.0.10",
      "cluster-name": "shop",
      "log-level": 3,
      "max-pods": 29,
      "node-labels": { mine: "1", "karpenter.sh/capacity-type": "spot", "karpenter.sh/nodepool": "default" },
      "node-taints": { gpu: ["yes:NoSchedule", ":NoExecute"] },
    });
    expect(text).toContain("[settings.host-containers.admin]\nenabled = true\nshare = 1.0\n");
  });

  it.each([
    [undefined, ["--dirs", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"]],
    ["1.45.9", ["--dirs", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"]],
    ["1.46.0", []],
    ["2.0.0", []],
  ])("mounts the local disks on release %s, beside the person's commands", (version, directories) => {
    const custom = '[settings.bootstrap-commands.mine]\ncommands = [["apiclient", "set", "motd=hi"]]\nmode = "once"\n';
    const changes = { instanceStorePolicy: "RAID0" as const, ...(version !== undefined && { imageVersion: version }) };
    const { settings } = parse(userDataText("Bottlerocket", nodeBootstrap(changes), custom));
    expect(settings).toMatchObject({
      "bootstrap-commands": {
        mine: { commands: [["apiclient", "set", "motd=hi"]], mode: "once" },
        "000-mount-instance-storage": {
          commands: [
            ["apiclient", "ephemeral-storage", "init"],
            ["apiclient", "ephemeral-storage", "bind", ...directories],
          ],
          essential: true,
          mode: "always",
        },
      },
    });
  });

  it.each([
    ["[settings\n", "spec.userData: line 1, column"],
    ["settings = 3", "settings: found 3, expected a table"],
    ["settings.kubernetes = [1]", "settings.kubernetes: found an array, expected a table"],
    ['settings.kubernetes.node-labels = "a"', 'settings.kubernetes.node-labels: found "a", expected a table'],
    ["#!/bin/bash\necho hi", "expected TOML"],
  ])("says what is wrong with %j", (custom, message) => {
    expect(userData("Bottlerocket", nodeBootstrap(), custom)).toMatchObject({
      kind: "problem",
      scope: "class",
      reason: "InvalidUserData",
      message: expect.stringContaining(message),
    });
  });
});

describe("the release of an image", () => {
  const amis = (name: string) => ({ amis: [{ id: "ami-1", name, requirements: [] }] });
  it.each<[string, Parameters<typeof nodeClass>, string | undefined]>([
    ["what its alias pins", [{ amiSelectorTerms: [{ alias: "bottlerocket@v1.46.0" }] }], "1.46.0"],
    ["its alias without the v", [{ amiSelectorTerms: [{ alias: "bottlerocket@1.26.2" }] }], "1.26.2"],
    [
      "in the name of the image that is started",
      [
        { amiSelectorTerms: [{ alias: "bottlerocket@latest" }] },
        amis("bottlerocket-aws-k8s-1.31-x86_64-v1.26.2-2ea5f7cc"),
      ],
      "1.26.2",
    ],
    [
      "in the name that is selected",
      [{ amiFamily: "Bottlerocket", amiSelectorTerms: [{ name: "bottlerocket-aws-k8s-1.31-x86_64-v1.46.1-*" }] }],
      "1.46.1",
    ],
    ["not known otherwise", [{ amiFamily: "Bottlerocket", amiSelectorTerms: [{ id: "ami-1" }] }], undefined],
    ["not in another image's name", [{}, { amis: [{ id: "ami-2", name: "x-v1.2.3", requirements: [] }] }], undefined],
  ])("is %s", (_, args, version) => {
    expect(imageVersion(nodeClass(...args), "ami-1")).toBe(version);
  });
});

function kubernetesOf(text: string): unknown {
  const { settings } = parse(text);
  return typeof settings === "object" && "kubernetes" in settings ? settings.kubernetes : undefined;
}
