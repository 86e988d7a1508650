import { CfnOutput } from "aws-cdk-lib";
import { CfnAccessEntry } from "aws-cdk-lib/aws-eks";
import { InstanceProfile, ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { acknowledgeManagedPolicies } from "./acknowledgements.ts";

/** What every EKS node needs (karpenter-aws §8.1). */
const managedPolicies = [
  "AmazonEKSWorkerNodePolicy",
  "AmazonEKS_CNI_Policy",
  "AmazonEC2ContainerRegistryPullOnly",
  "AmazonSSMManagedInstanceCore",
];

/** The role of the nodes, the instance profile for `EC2NodeClass.spec.instanceProfile`, and their entry to the cluster. */
export class NodeIdentity extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { clusterName }: { readonly clusterName: string }) {
    super(scope, id);
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
      managedPolicies: managedPolicies.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    });
    acknowledgeManagedPolicies(
      this.role,
      managedPolicies,
      "EKS documents these AWS-managed policies for nodes and keeps them up to date",
    );
    const profile = new InstanceProfile(this, "Profile", { role: this.role });
    new CfnAccessEntry(this, "AccessEntry", { clusterName, principalArn: this.role.roleArn, type: "EC2_LINUX" });
    new CfnOutput(this, "InstanceProfileName", { value: profile.instanceProfileName });
    new CfnOutput(this, "RoleName", { value: this.role.roleName });
  }
}
