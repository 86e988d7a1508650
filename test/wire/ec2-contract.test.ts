import { EC2Client } from "@aws-sdk/client-ec2";
import { afterAll } from "vitest";
import { ec2Port } from "../../shared/adapters/aws/ec2.ts";
import { ec2PortContract } from "../contract/ec2-port.ts";
import { awsServer } from "../support/aws-server/server.ts";
import { DrivenTime } from "../support/driven-time.ts";
import type { LoopbackServer } from "../support/loopback.ts";
import { wireCloud } from "../support/simulated-account.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";

const open: LoopbackServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

/** The real adapter and SDK over HTTP: what the simulated EC2 promises must survive the wire. */
ec2PortContract("the EC2 adapter", async () => {
  const { ec2, loop } = simulatedEc2();
  const time = new DrivenTime(loop);
  const server = await awsServer(wireCloud(ec2, { now: () => loop.now(), pageLimit: 1 }), (work) => time.settle(work));
  open.push(server);
  const client = new EC2Client(server.clientOptions);
  return {
    port: ec2Port({ client, launchClient: client, clusterName: "test" }),
    // Virtual time passes in the server, while it answers.
    settle: (work) => work,
    advance: (milliseconds) => time.sleep(milliseconds),
    request: runRequest({
      userData: "#!/bin/bash",
      tags: {
        "karpenter.sh/nodepool": "default",
        "karpenter.k8s.aws/ec2nodeclass": "default",
        "eks:eks-cluster-name": "test",
      },
    }),
    otherZoneSubnetId: "subnet-b",
    setCapacity: (instances) => ec2.setCapacity({ instanceType: "m5.large", zone: "us-east-1a" }, instances),
    addReservation: (id, instances) =>
      ec2.addCapacityReservation({ id, instanceType: "m5.large", zone: "us-east-1a" }, instances),
    addPartitionGroup: (id, partitions) => ec2.addPartitionGroup(id, partitions),
    failNext: (api, code) => ec2.faults.failNext(api, code),
  };
});
