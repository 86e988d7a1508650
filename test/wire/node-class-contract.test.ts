import { EC2Client } from "@aws-sdk/client-ec2";
import { IAMClient } from "@aws-sdk/client-iam";
import { SSMClient } from "@aws-sdk/client-ssm";
import { afterAll } from "vitest";
import { nodeClassPort } from "../../shared/adapters/aws/node-class.ts";
import { nodeClassAccount } from "../contract/node-class-account.ts";
import { nodeClassPortContract } from "../contract/node-class-port.ts";
import { awsServer } from "../support/aws-server/server.ts";
import { DrivenTime } from "../support/driven-time.ts";
import type { LoopbackServer } from "../support/loopback.ts";
import { wireCloud } from "../support/simulated-account.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";

const open: LoopbackServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

/** The real adapter and SDK over HTTP. */
nodeClassPortContract("the adapter of EC2, SSM and IAM", async () => {
  const { ec2, loop } = simulatedEc2();
  const time = new DrivenTime(loop);
  const cloud = wireCloud(ec2, { account: nodeClassAccount(), now: () => loop.now(), pageLimit: 1 });
  const server = await awsServer(cloud, (work) => time.settle(work));
  open.push(server);
  const client = new EC2Client(server.clientOptions);
  return {
    port: nodeClassPort({
      client,
      launchClient: client,
      ssm: new SSMClient(server.clientOptions),
      iam: new IAMClient(server.clientOptions),
      now: () => loop.now(),
    }),
    settle: (work) => work,
    request: runRequest({ userData: "#!/bin/bash" }),
    failNext: (api, code) => ec2.faults.failNext(api, code),
    instances: () => ec2.instances().length,
  };
});
