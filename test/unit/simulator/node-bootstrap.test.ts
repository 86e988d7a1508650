import { describe, expect, it } from "vitest";
import type { InstanceType } from "../../../shared/cloud/instance-type.ts";
import { userData } from "../../../shared/cloud/user-data/user-data.ts";
import type { Ec2Instance } from "../../../shared/ports.ts";
import { requirementsOfLabels } from "../../../shared/scheduling/requirements.ts";
import { nodeRegistration } from "../../../shared/simulator/node-bootstrap.ts";

const instance: Ec2Instance = {
  instanceId: "i-00000000000000001",
  instanceType: "m5.large",
  imageId: "ami-1",
  zone: "us-east-1a",
  subnetId: "subnet-a",
  capacityType: "spot",
  state: "running",
  launchedAt: 0,
  privateDnsName: "ip-10-0-0-1.ec2.internal",
  tags: {},
};

const type: InstanceType = {
  name: "m5.large",
  requirements: requirementsOfLabels({ "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" }),
  capacity: { cpu: 2_000, memory: 8_000_000_000, pods: 29 },
  allocatable: { cpu: 1_930, memory: 7_000_000_000, pods: 29 },
  offerings: [],
  attachLimits: { "ebs.csi.aws.com": 25 },
};

const nodeConfig = (kubelet: string) => `Content-Type: application/node.eks.aws

# generated
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster: {name: test}
  kubelet: ${kubelet}
`;

const mime = (...parts: readonly string[]) => `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

${parts.map((part) => `--//\n${part}\n`).join("")}--//--
`;

describe("nodeRegistration", () => {
  it("reads labels, taints and maxPods from the NodeConfig and the rest from the machine", () => {
    const kubelet = `{config: {maxPods: 20, registerWithTaints: [{key: karpenter.sh/unregistered, effect: NoExecute}]},
      flags: ['--node-labels="karpenter.sh/nodepool=default,team="']}`;
    const script = "Content-Type: text/x-shellscript; charset=us-ascii\n\n#!/bin/bash\necho kind: NodeConfig";
    expect(nodeRegistration(instance, mime(script, nodeConfig(kubelet)), type)).toEqual({
      name: "ip-10-0-0-1.ec2.internal",
      providerId: "aws:///us-east-1a/i-00000000000000001",
      labels: {
        "karpenter.sh/nodepool": "default",
        team: "",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": "ip-10-0-0-1.ec2.internal",
        "node.kubernetes.io/instance-type": "m5.large",
        "topology.kubernetes.io/zone": "us-east-1a",
      },
      taints: [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }],
      capacity: { cpu: 2_000, memory: 8_000_000_000, pods: 20 },
      allocatable: { cpu: 1_930, memory: 7_000_000_000, pods: 20 },
      attachLimits: { "ebs.csi.aws.com": 25 },
    });
  });

  it("reads the user data that Journeyman launches with", () => {
    const cluster = {
      name: "test",
      endpoint: "https://api",
      certificateAuthority: "Y2E=",
      serviceCidr: "10.100.0.0/16",
    };
    const taints = [{ key: "karpenter.sh/unregistered", effect: "NoExecute" as const }];
    const made = userData("AL2023", { cluster, labels: { team: "a", tier: "web" }, taints, maxPods: 11 }, "echo hello");
    const text = made.kind === "user-data" ? made.text : made.message;
    expect(nodeRegistration(instance, text, type)).toMatchObject({
      labels: { team: "a", tier: "web" },
      taints,
      allocatable: { pods: 11 },
    });
  });

  it("lets a later NodeConfig win, as nodeadm does, line ends of Windows included", () => {
    const earlier = nodeConfig("{config: {maxPods: 5}, flags: ['--node-labels=a=1,b=1']}");
    const later = nodeConfig("{config: {maxPods: 7}, flags: ['--node-labels=b=2']}");
    const windowsText = mime(earlier, later).replaceAll("\n", "\r\n");
    expect(nodeRegistration(instance, windowsText, type)).toMatchObject({
      labels: { a: "1", b: "2" },
      taints: [],
      allocatable: { pods: 7 },
    });
  });

  it("takes a bare NodeConfig, and registers a machine without any with nothing but what it is", () => {
    const bare = nodeConfig("{config: {maxPods: 5}}").split("\n\n")[1] ?? "";
    expect(nodeRegistration(instance, bare, type).capacity.pods).toBe(5);
    expect(nodeRegistration(instance, "#!/bin/bash", type)).toMatchObject({ taints: [], capacity: { pods: 29 } });
  });

  it("stops at a NodeConfig that nodeadm would not read", () => {
    expect(() => nodeRegistration(instance, mime(nodeConfig("{config: {maxPods: many}}")), type)).toThrow("maxPods");
  });
});
