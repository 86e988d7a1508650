import { SimulatedNodeClassPort } from "../../shared/simulator/node-class-port.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";
import { nodeClassAccount } from "./node-class-account.ts";
import { nodeClassPortContract } from "./node-class-port.ts";

nodeClassPortContract("the simulated account", () => {
  const { ec2, loop, settle } = simulatedEc2();
  return {
    port: new SimulatedNodeClassPort(ec2, nodeClassAccount(), () => loop.now()),
    settle,
    request: runRequest({ userData: "#!/bin/bash" }),
    failNext: (api, code) => ec2.faults.failNext(api, code),
    instances: () => ec2.instances().length,
  };
});
