import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import { SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Construct } from "constructs";
import type { FunctionName } from "./bundling.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { acknowledgeWildcards } from "./constructs/acknowledgements.ts";
import { ClusterAccess } from "./constructs/cluster-access.ts";
import {
  catalogStatements,
  describeStatement,
  type Ec2Scope,
  launchStatements,
  nodeClassStatements,
  passRoleStatement,
  taggingStatement,
  terminationStatement,
} from "./constructs/ec2-permissions.ts";
import { EventSources } from "./constructs/event-sources.ts";
import { Monitoring } from "./constructs/monitoring.ts";
import { type Network, NodeFunction } from "./constructs/node-function.ts";
import { NodeIdentity } from "./constructs/node-identity.ts";
import { WorkQueue } from "./constructs/work-queue.ts";
import { environmentOf } from "./function-environment.ts";

export interface ProvisionerStackProps extends StackProps {
  readonly config: ClusterConfig;
}

/** Timeout and memory of each function. Planning is the one that computes: 2 GiB of memory bring more than one vCPU. */
const sizes: Readonly<Record<FunctionName, { readonly timeoutSeconds: number; readonly memoryMib: number }>> = {
  provisioning: { timeoutSeconds: 60, memoryMib: 2048 },
  lifecycle: { timeoutSeconds: 30, memoryMib: 512 },
  termination: { timeoutSeconds: 30, memoryMib: 512 },
  // Short: a failed one must be tried again while the two minutes of notice last.
  interruption: { timeoutSeconds: 20, memoryMib: 512 },
  disruption: { timeoutSeconds: 60, memoryMib: 2048 },
  "garbage-collection": { timeoutSeconds: 50, memoryMib: 512 },
  later: { timeoutSeconds: 15, memoryMib: 256 },
  // Some seconds of reading twice a day; memory for the XML of a hundred types at a time and for the parts as text.
  catalog: { timeoutSeconds: 60, memoryMib: 1024 },
};

/**
 * Visibility is the timeout and a little, not six times it: a message of a crashed invocation comes back soon, and a crash of the
 * planner must not stall the cluster for minutes (design §4.1, step 1).
 */
const visibilitySeconds = { provisioning: 70, lifecycle: 40, termination: 40, interruption: 25, later: 20 };

/** Everything of Journeyman that runs in AWS, for one cluster. */
export class ProvisionerStack extends Stack {
  constructor(scope: Construct, id: string, { config, ...props }: ProvisionerStackProps) {
    super(scope, id, props);
    const queues = this.createQueues();
    const functions = this.createFunctions(config, queues);
    connectQueues(functions, queues);
    const nodes = new NodeIdentity(this, "Nodes", { clusterName: config.clusterName });
    const otherRoles = config.nodeRoles.map((role) => `arn:${this.partition}:iam::${config.account}:role/${role}`);
    const ec2Scope = {
      partition: this.partition,
      region: config.region,
      account: config.account,
      clusterName: config.clusterName,
      nodeRoleArns: [nodes.role.roleArn, ...otherRoles],
    };
    grantEc2(functions, ec2Scope, config);
    this.grantCluster(functions, config);
    const { provisioning, lifecycle, interruption } = queues;
    const events = new EventSources(this, "Events", {
      busName: `journeyman-${config.clusterName}`,
      account: config.account,
      queues: { provisioning: provisioning.queue, lifecycle: lifecycle.queue, interruption: interruption.queue },
      ticks: {
        disruption: functions.disruption.function,
        "garbage-collection": functions["garbage-collection"].function,
        catalog: functions.catalog.function,
      },
      catalog: functions.catalog.function,
    });
    const controllers = Object.entries(functions).filter(([name]) => name !== "later");
    new ClusterAccess(this, "Access", {
      config,
      bus: events.bus,
      controllers: Object.fromEntries(controllers.map(([name, { role }]) => [name, role])),
    });
    new Monitoring(this, "Monitoring", {
      clusterName: config.clusterName,
      functions,
      catalogParts: readableCatalogParts(config),
      ...(config.alarmTopicArn !== undefined && { alarmTopicArn: config.alarmTopicArn }),
    });
  }

  private createQueues() {
    const queue = (name: keyof typeof visibilitySeconds, retention: Duration, maxReceiveCount: number, fifo = false) =>
      new WorkQueue(this, `${name}-queue`, {
        fifo,
        visibilityTimeout: Duration.seconds(visibilitySeconds[name]),
        retention,
        maxReceiveCount,
      });
    return {
      provisioning: queue("provisioning", Duration.hours(1), 3, true),
      lifecycle: queue("lifecycle", Duration.hours(1), 5),
      termination: queue("termination", Duration.hours(1), 5),
      // As long as Karpenter keeps them: the instance is gone by then.
      interruption: queue("interruption", Duration.seconds(300), 5),
      later: queue("later", Duration.hours(1), 5),
    };
  }

  private createFunctions(config: ClusterConfig, queues: Queues): Functions {
    const network = this.networkOf(config);
    const create = (name: FunctionName, isTick = false) =>
      new NodeFunction(this, name, {
        name,
        isTick,
        timeout: Duration.seconds(sizes[name].timeoutSeconds),
        memoryMib: sizes[name].memoryMib,
        environment: environmentOf(name, config, queues),
        logRetention: config.logRetentionDays,
        ...(network !== undefined && { network }),
      });
    return {
      provisioning: create("provisioning"),
      lifecycle: create("lifecycle"),
      termination: create("termination"),
      interruption: create("interruption"),
      disruption: create("disruption", true),
      "garbage-collection": create("garbage-collection", true),
      later: create("later"),
      catalog: create("catalog", true),
    };
  }

  private networkOf({ vpc }: ClusterConfig): Network | undefined {
    if (vpc === undefined) return undefined;
    return {
      vpc: Vpc.fromVpcAttributes(this, "Vpc", {
        vpcId: vpc.vpcId,
        availabilityZones: vpc.subnets.map(({ zone }) => zone),
        privateSubnetIds: vpc.subnets.map(({ subnetId }) => subnetId),
      }),
      securityGroups: vpc.securityGroupIds.map((id) =>
        SecurityGroup.fromSecurityGroupId(this, `SecurityGroup-${id}`, id, { mutable: false }),
      ),
    };
  }

  private grantCluster(functions: Functions, { clusterName }: ClusterConfig): void {
    const cluster = this.formatArn({ service: "eks", resource: "cluster", resourceName: clusterName });
    for (const [name, { role }] of Object.entries(functions)) {
      if (name === "later") continue;
      role.addToPolicy(
        new PolicyStatement({
          sid: "AllowAPIServerEndpointDiscovery",
          actions: ["eks:DescribeCluster"],
          resources: [cluster],
        }),
      );
    }
  }
}

type Queues = Readonly<Record<keyof typeof visibilitySeconds, WorkQueue>>;
type Functions = Readonly<Record<FunctionName, NodeFunction>>;

/** Who reads which queue, and who may send hints: every controller, since a hint makes its reader look and nothing more. */
function connectQueues(functions: Functions, queues: Queues): void {
  // FIFO: the message group is the limit. The others: enough to be quick, too few to flood the API server.
  const concurrency = { lifecycle: 5, termination: 20, interruption: 10, later: 2 };
  const source = { batchSize: 10, reportBatchItemFailures: true };
  functions.provisioning.function.addEventSource(new SqsEventSource(queues.provisioning.queue, source));
  for (const name of ["lifecycle", "termination", "interruption", "later"] as const) {
    const maxConcurrency = concurrency[name];
    functions[name].function.addEventSource(new SqsEventSource(queues[name].queue, { ...source, maxConcurrency }));
  }
  const { provisioning, lifecycle, termination, later } = queues;
  for (const [name, { role }] of Object.entries(functions)) {
    const receivers = name === "later" ? [provisioning] : [provisioning, later, lifecycle, termination];
    for (const { queue } of receivers) queue.grantSendMessages(role);
  }
}

/**
 * Who may do what to EC2. Only provisioning launches (design rule 5). The catalog function tries whether it could, and EC2 has no condition
 * that tells a tried launch from another.
 */
/** All but the price list where there is none to ask: in an isolated VPC, GovCloud and the isolated regions. */
function readableCatalogParts({ region, isolatedVpc }: ClusterConfig): readonly string[] {
  const parts = ["zones", "types", "zonesByType", "spotPrices"];
  return isolatedVpc || /^us-gov-|-iso/.test(region) ? parts : [...parts, "onDemandPrices"];
}

function grantEc2(functions: Functions, scope: Ec2Scope, { dryRunNodeClasses }: ClusterConfig): void {
  const tried = dryRunNodeClasses ? launchStatements(scope) : [passRoleStatement(scope)];
  const statements: Readonly<Record<string, PolicyStatement[]>> = {
    provisioning: [...launchStatements(scope), terminationStatement(scope), describeStatement(scope)],
    lifecycle: [taggingStatement(scope), describeStatement(scope)],
    termination: [terminationStatement(scope), describeStatement(scope)],
    interruption: [describeStatement(scope)],
    "garbage-collection": [terminationStatement(scope), describeStatement(scope)],
    catalog: [...catalogStatements(scope), ...nodeClassStatements(scope), ...tried],
  };
  for (const [name, { role }] of Object.entries(functions)) {
    for (const statement of statements[name] ?? []) role.addToPolicy(statement);
    acknowledgeEc2Wildcards(role, scope);
  }
}

function acknowledgeEc2Wildcards(role: Construct, { partition, region, account }: Ec2Scope): void {
  const prefix = `arn:${partition === "aws" ? "aws" : "<AWS::Partition>"}:ec2:${region}`;
  const owned = ["instance", "volume", "network-interface", "spot-instances-request"];
  acknowledgeWildcards(
    role,
    owned.map((type) => `Resource::${prefix}:${account}:${type}/*`),
    "An instance has no id before it is launched; the tags of the cluster confine the statement instead",
  );
  acknowledgeWildcards(
    role,
    [
      ...["security-group", "subnet", "capacity-reservation", "placement-group"].map(
        (type) => `Resource::${prefix}:${account}:${type}/*`,
      ),
      `Resource::${prefix}::image/*`,
      `Resource::${prefix}::snapshot/*`,
    ],
    "EC2NodeClasses choose these; what is launched with them is confined by tags",
  );
  acknowledgeWildcards(
    role,
    [`Resource::arn:${partition === "aws" ? "aws" : "<AWS::Partition>"}:iam::${account}:instance-profile/*`],
    "Profiles are named when a class appears; the tags of cluster, region and class confine the statement instead",
  );
  acknowledgeWildcards(
    role,
    [`Resource::arn:${partition === "aws" ? "aws" : "<AWS::Partition>"}:ssm:${region}::parameter/aws/service/*`],
    "AWS's own public parameters, which name its images",
  );
  acknowledgeWildcards(
    role,
    ["Resource::*"],
    "The describe actions of EC2 and GetProducts of the price list take no resource; the region confines them",
  );
}
