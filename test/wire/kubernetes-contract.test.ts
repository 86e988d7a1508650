import { afterAll } from "vitest";
import { kubernetesClient } from "../../shared/adapters/kubernetes/client.ts";
import { kubernetesPort } from "../../shared/adapters/kubernetes/kubernetes-port.ts";
import { kubernetesPortContract } from "../contract/kubernetes-port.ts";
import { restAnswer } from "../support/api-server-http.ts";
import { nodeNamed } from "../support/cluster-objects.ts";
import { httpsLoopback, type LoopbackServer, loopbackCertificates } from "../support/loopback.ts";
import { clusterInVirtualTime } from "../support/simulated-cluster.ts";

const certificates = loopbackCertificates();
const open: LoopbackServer[] = [];
afterAll(async () => {
  for (const server of open) await server[Symbol.asyncDispose]();
});

/** The real adapter over TLS: what the simulated API server promises must survive the wire. */
kubernetesPortContract("the Kubernetes client", async () => {
  const { server, advance } = clusterInVirtualTime();
  server.create("Node", nodeNamed("node-1"));
  server.create("Namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "contract" } });
  const loopback = await httpsLoopback((request) => restAnswer(server, request), certificates);
  open.push(loopback);
  const client = kubernetesClient({
    endpoint: { url: loopback.url, certificateAuthority: certificates.certificateAuthority },
    tokens: { token: async () => "token", invalidate: () => {} },
    sleep: async () => {},
  });
  return {
    port: kubernetesPort(async () => client, { count: () => {}, log: () => {} }),
    namespace: "contract",
    nodeName: "node-1",
    settle: () => advance(1),
  };
});
