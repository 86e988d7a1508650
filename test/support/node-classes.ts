import type * as z from "zod";
import { type EC2NodeClass, ec2NodeClass } from "../../shared/api/ec2-node-class.ts";

type Spec = Partial<z.input<typeof ec2NodeClass>["spec"]>;

/** An EC2NodeClass named "default" on AL2023 with what the API demands, and `spec` on top. Without `status` it counts as ready everywhere. */
export function nodeClass(spec: Spec = {}, status?: EC2NodeClass["status"]): EC2NodeClass {
  return ec2NodeClass.parse({
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default", uid: "ec2nodeclass-default" },
    spec: {
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: [{ tags: { cluster: "test" } }],
      securityGroupSelectorTerms: [{ tags: { cluster: "test" } }],
      role: "node",
      ...spec,
    },
    ...(status && { status }),
  });
}
