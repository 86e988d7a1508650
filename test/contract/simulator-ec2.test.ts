import { SimulatedEc2Port } from "../../shared/simulator/ec2-port.ts";
import { runRequest, simulatedEc2 } from "../support/simulated-aws.ts";
import { ec2PortContract } from "./ec2-port.ts";

ec2PortContract("the simulated EC2", () => {
  const { ec2, settle, advance } = simulatedEc2();
  return {
    port: new SimulatedEc2Port(ec2, "test"),
    settle,
    advance,
    request: runRequest({
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
