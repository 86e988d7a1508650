import { SimulatedKubernetes } from "../../shared/simulator/kubernetes-port.ts";
import { nodeNamed } from "../support/cluster-objects.ts";
import { clusterInVirtualTime } from "../support/simulated-cluster.ts";
import { kubernetesPortContract } from "./kubernetes-port.ts";

kubernetesPortContract("the simulated API server", () => {
  const { server, advance } = clusterInVirtualTime();
  server.create("Node", nodeNamed("node-1"));
  server.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "contract" } });
  return {
    port: new SimulatedKubernetes(server, "contract-test"),
    namespace: "contract",
    nodeName: "node-1",
    settle: () => advance(1),
  };
});
