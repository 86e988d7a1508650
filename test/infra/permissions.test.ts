import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { exampleCluster, referenced, synthesize } from "../support/stack.ts";

interface Statement {
  readonly Sid?: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, object>>;
}

const { resources, app, stack } = synthesize();
const policies = resources("AWS::IAM::Policy").map(([, { PolicyDocument, Roles }]) => ({
  role: referenced(Roles[0]),
  statements: PolicyDocument.Statement as readonly Statement[],
}));
const statements = policies.flatMap((policy) =>
  policy.statements.map((statement) => ({ ...statement, role: policy.role })),
);

function allowing(action: string) {
  return statements.filter(({ Action }) => [Action].flat().includes(action));
}

function functionsAllowed(action: string): string[] {
  return [...new Set(allowing(action).map(({ role }) => role.replace(/Role[0-9A-F]*$/, "")))].sort();
}

const owned = {
  StringEquals: { "aws:ResourceTag/kubernetes.io/cluster/shop": "owned" },
  StringLike: { "aws:ResourceTag/karpenter.sh/nodepool": "*" },
};

describe("permissions", () => {
  it("name every action", () => {
    for (const { Action } of statements) expect([Action].flat().filter((action) => action.includes("*"))).toEqual([]);
  });

  it("have a condition wherever the resource is a wildcard, but for what a launch refers to", () => {
    const unconditional = statements.filter(
      ({ Action, Resource, Condition }) =>
        // CDK grants a function's versions, `ARN:*`, with the function.
        Action !== "lambda:InvokeFunction" && /\*"/.test(JSON.stringify(Resource)) && Condition === undefined,
    );
    expect([...new Set(unconditional.map(({ Sid }) => Sid))]).toEqual(["AllowScopedEC2InstanceAccessActions"]);
  });

  it("let provisioning launch, and the catalog function try whether it could", () => {
    expect(functionsAllowed("ec2:RunInstances")).toEqual(["catalog", "provisioning"]);
    expect(functionsAllowed("iam:PassRole")).toEqual(["catalog", "provisioning"]);
  });

  it("let nobody but provisioning launch where classes are not tried", () => {
    const { resources: untried } = synthesize({ ...exampleCluster, dryRunNodeClasses: false });
    const launchers = untried("AWS::IAM::Policy").flatMap(([, { PolicyDocument, Roles }]) =>
      JSON.stringify(PolicyDocument).includes('ec2:RunInstances"') ? [referenced(Roles[0])] : [],
    );
    expect(launchers).toEqual([expect.stringMatching(/^provisioning/)]);
  });

  it("pass other roles of nodes where they are stated", () => {
    const { resources: other } = synthesize({ ...exampleCluster, nodeRoles: ["team/KarpenterNodeRole-shop"] });
    const passing = other("AWS::IAM::Policy").flatMap(([, { PolicyDocument }]) =>
      PolicyDocument.Statement.filter(({ Action }: Statement) => Action === "iam:PassRole"),
    );
    expect(passing).toHaveLength(2);
    for (const { Resource } of passing) expect(JSON.stringify(Resource)).toContain("role/team/KarpenterNodeRole-shop");
  });

  it("make no foreign instance profile the cluster's own", () => {
    const [tagging] = allowing("iam:TagInstanceProfile");
    expect(tagging?.Condition?.StringEquals).toMatchObject({ "aws:ResourceTag/kubernetes.io/cluster/shop": "owned" });
  });

  it("let the catalog function change the cluster's own instance profiles, and nobody else any", () => {
    const changing = [
      "CreateInstanceProfile",
      "TagInstanceProfile",
      "AddRoleToInstanceProfile",
      "DeleteInstanceProfile",
    ];
    for (const action of changing) {
      expect(functionsAllowed(`iam:${action}`), action).toEqual(["catalog"]);
      for (const { Condition } of allowing(`iam:${action}`)) {
        expect(JSON.stringify(Condition)).toContain("Tag/kubernetes.io/cluster/shop");
      }
    }
  });

  it("let the catalog function look at what EC2 sells, and nobody else", () => {
    for (const action of ["ec2:DescribeInstanceTypes", "ec2:GetSpotPlacementScores", "pricing:GetProducts"]) {
      expect(functionsAllowed(action), action).toEqual(["catalog"]);
    }
  });

  it("let a launch create only what carries the cluster's tags", () => {
    const creating = allowing("ec2:RunInstances").find(({ Condition }) => Condition !== undefined);
    expect(creating?.Condition).toEqual({
      StringEquals: {
        "aws:RequestTag/kubernetes.io/cluster/shop": "owned",
        "aws:RequestTag/eks:eks-cluster-name": "shop",
      },
      StringLike: { "aws:RequestTag/karpenter.sh/nodepool": "*" },
    });
  });

  it("pass the nodes' role, and that to EC2 only", () => {
    const [passing] = allowing("iam:PassRole");
    expect(JSON.stringify(passing?.Resource)).toContain("NodesRole");
    expect(passing?.Condition).toMatchObject({ StringEquals: { "iam:PassedToService": expect.any(Array) } });
  });

  it("end only instances of this cluster", () => {
    expect(functionsAllowed("ec2:TerminateInstances")).toEqual(["garbagecollection", "provisioning", "termination"]);
    for (const { Condition } of allowing("ec2:TerminateInstances")) expect(Condition).toEqual(owned);
  });

  it("tag instances only at their launch, or when they are ours already", () => {
    for (const { Sid, Condition } of allowing("ec2:CreateTags")) {
      if (Sid === "AllowScopedResourceCreationTagging") {
        expect(Condition?.StringEquals).toMatchObject({ "ec2:CreateAction": "RunInstances" });
      } else {
        expect(Condition).toMatchObject(owned);
      }
    }
  });

  it("let the webhook's pods put hints on the cluster's bus, and nothing more", () => {
    const webhook = policies.filter(({ role }) => role.startsWith("AccessWebhookRole"));
    expect(webhook.flatMap((policy) => policy.statements)).toMatchObject([
      { Action: "events:PutEvents", Condition: { StringEquals: { "events:source": "journeyman.webhook" } } },
    ]);
  });

  it("pass the AwsSolutions rules, in a VPC too", () => {
    const vpc = {
      vpcId: "vpc-0123456789abcdef0",
      subnets: [{ subnetId: "subnet-0123456789abcdef0", zone: "eu-west-1a" }],
      securityGroupIds: ["sg-0123456789abcdef0"],
    };
    for (const checked of [{ app, stack }, synthesize({ ...exampleCluster, vpc })]) {
      expect(new AwsSolutionsChecks(checked.app).validateScope(checked.stack)).toMatchObject({ violations: [] });
    }
  });
});

describe("access to the cluster", () => {
  it("is given to every function but the one that only forwards, in a group of its own", () => {
    const groups = resources("AWS::EKS::AccessEntry").flatMap(([, { KubernetesGroups }]) =>
      KubernetesGroups === undefined ? [] : [KubernetesGroups],
    );
    const names = [
      "provisioning",
      "lifecycle",
      "termination",
      "interruption",
      "disruption",
      "garbage-collection",
      "catalog",
    ];
    expect(groups).toEqual(names.map((name) => ["journeyman:controllers", `journeyman:${name}`]));
  });

  it("is given to the nodes as EC2 nodes", () => {
    const types = resources("AWS::EKS::AccessEntry").filter(([, { Type }]) => Type === "EC2_LINUX");
    expect(types.map(([, { PrincipalArn }]) => referenced(PrincipalArn))).toEqual([
      expect.stringMatching(/^NodesRole/),
    ]);
  });
});
