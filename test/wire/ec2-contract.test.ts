import { EC2Client } from "@aws-sdk/client-ec2";
import { afterAll } from "vitest";
import { ec2Port } from "../../shared/adapters/aws/ec2.ts";
import { ec2PortContract } from "../contract/ec2-port.ts";
import { queryAnswer } from "../support/ec2-query-api.ts";
import { httpLoopback, type LoopbackServer } from "../support/loopback.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";

const open: LoopbackServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

/** The real adapter and SDK over HTTP: what the simulated EC2 promises must survive the wire. */
ec2PortContract("the EC2 adapter", async () => {
  const { ec2, settle, advance } = simulatedEc2();
  const server = await httpLoopback((request) => settle(queryAnswer(ec2, request)));
  open.push(server);
  const options = {
    region: "us-east-1",
    endpoint: server.url,
    credentials: { accessKeyId: "AKID", secretAccessKey: "secret" },
    maxAttempts: 1,
  };
  return {
    port: ec2Port({ client: new EC2Client(options), launchClient: new EC2Client(options), clusterName: "test" }),
    // Virtual time passes in the server, while it answers.
    settle: (work) => work,
    advance,
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
    failNext: (api, code) => ec2.faults.failNext(api, code),
  };
});
