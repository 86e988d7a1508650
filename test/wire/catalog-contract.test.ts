import { EC2Client } from "@aws-sdk/client-ec2";
import { PricingClient } from "@aws-sdk/client-pricing";
import { afterAll } from "vitest";
import { catalogPort } from "../../shared/adapters/aws/catalog.ts";
import { catalogPortContract } from "../contract/catalog-port.ts";
import { awsServer } from "../support/aws-server/server.ts";
import { DrivenTime } from "../support/driven-time.ts";
import type { LoopbackServer } from "../support/loopback.ts";
import { wireCloud } from "../support/simulated-account.ts";
import { simulatedEc2 } from "../support/simulated-aws.ts";

const open: LoopbackServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

/** The real adapter and SDK over HTTP. */
catalogPortContract("the catalog adapter", async () => {
  const { ec2, loop } = simulatedEc2();
  const time = new DrivenTime(loop);
  const now = () => loop.now();
  const cloud = wireCloud(ec2, { now, pageLimit: 7 });
  const server = await awsServer(cloud, (work) => time.settle(work));
  open.push(server);
  return {
    port: catalogPort({
      client: new EC2Client(server.clientOptions),
      pricing: new PricingClient(server.clientOptions),
      region: cloud.catalog.region,
      telemetry: { log: () => {} },
      now,
    }),
    settle: (work) => work,
    advance: (milliseconds) => time.sleep(milliseconds),
    catalog: cloud.catalog,
    zones: cloud.account.zones,
    setSpotRoom: (zone, instances) => {
      for (const { name } of cloud.catalog.types)
        ec2.setCapacity({ instanceType: name, zone, capacityType: "spot" }, instances);
    },
    failNext: (api, code) => ec2.faults.failNext(api, code),
  };
});
