import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AssetHashType, DockerImage, Duration, RemovalPolicy } from "aws-cdk-lib";
import { type ISecurityGroup, type IVpc, SubnetType } from "aws-cdk-lib/aws-ec2";
import { Effect, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { FunctionEnvironment } from "../../shared/runtime/config.ts";
import type { FunctionName } from "../bundling.ts";
import { acknowledgeWildcards } from "./acknowledgements.ts";

export interface Network {
  readonly vpc: IVpc;
  readonly securityGroups: ISecurityGroup[];
}

export interface NodeFunctionProps {
  readonly name: FunctionName;
  readonly timeout: Duration;
  readonly memoryMib: number;
  readonly environment: FunctionEnvironment;
  readonly logRetention: RetentionDays;
  /** Invoked by a schedule: the next tick comes within a minute, so a failed or late one is not repeated. */
  readonly isTick?: boolean;
  /** Absent: the function reaches the API server's public endpoint. */
  readonly network?: Network;
}

/** A TypeScript function on Node 24 (arm64) with a role and a log group of its own. */
export class NodeFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    super(scope, id);
    this.role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const logGroup = new LogGroup(this, "Logs", {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    logGroup.grantWrite(this.role);
    if (props.network !== undefined) allowNetworkInterfaces(this.role);
    this.function = new LambdaFunction(this, "Function", {
      description: `Journeyman ${props.name}`,
      code: bundledCode(props.name),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: props.timeout,
      memorySize: props.memoryMib,
      environment: { ...props.environment },
      role: this.role,
      logGroup,
      ...(props.isTick === true && { retryAttempts: 0, maxEventAge: Duration.minutes(1) }),
      ...(props.network !== undefined && {
        vpc: props.network.vpc,
        vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
        securityGroups: props.network.securityGroups,
      }),
    });
  }
}

/** Bundled as `npm run build` does it; never in a container. */
function bundledCode(name: FunctionName): Code {
  const tryBundle = (folder: string) => {
    execFileSync(process.execPath, [projectFile("infra/build.ts"), name, folder], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    return true;
  };
  return Code.fromAsset(projectFile(`functions/${name}`), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: { image: DockerImage.fromRegistry("none"), local: { tryBundle } },
  });
}

function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** What Lambda itself does with the role to put a function into a VPC; these actions take no narrower resource. */
function allowNetworkInterfaces(role: Role): void {
  role.addToPolicy(
    new PolicyStatement({
      sid: "AllowNetworkInterfacesOfTheFunction",
      effect: Effect.ALLOW,
      actions: [
        "ec2:CreateNetworkInterface",
        "ec2:DeleteNetworkInterface",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSubnets",
        "ec2:AssignPrivateIpAddresses",
        "ec2:UnassignPrivateIpAddresses",
      ],
      resources: ["*"],
    }),
  );
  acknowledgeWildcards(role, ["Resource::*"], "Lambda's own network interfaces have no name before they are made");
}
