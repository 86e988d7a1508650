import { once } from "node:events";
import { createServer } from "node:https";
import { createCertificates } from "../functions/webhook/certificates.ts";
import { ec2NodeClass } from "../shared/api/ec2-node-class.ts";
import { type Kind, kinds } from "../shared/api/kinds.ts";
import { nodePool } from "../shared/api/node-pool.ts";
import { SimulatedWorld } from "../shared/simulator/simulated-world.ts";
import { defaultSettings } from "../shared/state/settings.ts";

/**
 * An API server, as a process, that has what a first plan needs: a NodePool whose class is resolved, the published catalog of every type, and
 * pods without a node. It keeps nothing that is written, so that each start finds the same, and prints a line for each NodeClaim that somebody
 * creates; the first line says where it is.
 */
const pendingPods = 200;
const startAt = Date.now() - 60_000;
const world = new SimulatedWorld({ seed: 1, settings: { ...defaultSettings, region: "us-east-1" }, startAt });
const { server } = world.cluster;
const terms = [{ tags: { "karpenter.sh/discovery": "bench" } }];
server.create(
  "EC2NodeClass",
  ec2NodeClass.parse({
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "node",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
    },
  }),
);
server.create(
  "NodePool",
  nodePool.parse({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          requirements: [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] }],
        },
      },
    },
  }),
);
await world.loop.runUntil(startAt + 60_000);
for (let index = 0; index < pendingPods; index += 1) createPending(index);

function createPending(index: number): void {
  const reference = { name: `web-${index}`, namespace: "default" };
  const requests = { cpu: `${250 * (1 + (index % 8))}m`, memory: `${512 * (1 + (index % 5))}Mi` };
  server.create("Pod", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...reference, labels: { app: `web-${index % 20}` } },
    spec: { containers: [{ name: "web", resources: { requests } }] },
  });
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }];
  server.patch("Pod", reference, { status: { conditions } }, { subresource: "status" });
}

const day = 86_400_000;
const { certificate, privateKey, certificateAuthority } = createCertificates({
  dnsNames: ["localhost"],
  ipv4Addresses: ["127.0.0.1"],
  notBefore: new Date(Date.now() - day),
  notAfter: new Date(Date.now() + day),
});
const byPath = new Map(
  Object.entries(kinds).map(([kind, { apiVersion, plural }]) => {
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return [`${root}/${plural}`, kind];
  }),
);

const listener = createServer({ cert: certificate, key: privateKey }, async (request, response) => {
  const url = new URL(request.url ?? "/", "https://localhost");
  const [, namespace] = /\/namespaces\/([^/]+)\/./.exec(url.pathname) ?? [];
  const path = url.pathname.replace(/\/namespaces\/[^/]+(?=\/)/, "");
  let body = "";
  for await (const chunk of request) body += String(chunk);
  if (request.method === "POST" && path.endsWith("/nodeclaims")) console.log("a NodeClaim");
  const collection = kindOf(path);
  const single = kindOf(path.split("/").slice(0, -1).join("/"));
  if (request.method !== "GET") {
    response.end(written(body));
  } else if (collection !== undefined) {
    const fieldSelector = url.searchParams.get("fieldSelector");
    const items = server.list(collection, fieldSelector === null ? {} : { fieldSelector });
    response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items }));
  } else {
    const name = path.split("/").at(-1) ?? "";
    const found = single && server.get(single, { name, ...(namespace !== undefined && { namespace }) });
    response.writeHead(found === undefined || single === "Lease" ? 404 : 200).end(JSON.stringify(found ?? {}));
  }
});

/** What was sent, as if it had been stored. */
function written(body: string): string {
  const { metadata = {}, ...object } = JSON.parse(body);
  return JSON.stringify({ ...object, metadata: { ...metadata, uid: "uid", resourceVersion: "2" } });
}

function kindOf(path: string): Kind | undefined {
  const name = byPath.get(path);
  return name !== undefined && isKind(name) ? name : undefined;
}

function isKind(name: string): name is Kind {
  return name in kinds;
}

listener.listen(0, "127.0.0.1");
await once(listener, "listening");
const address = listener.address();
if (address === null || typeof address === "string") throw new Error("the server has no port");
console.log(JSON.stringify({ url: `https://127.0.0.1:${address.port}`, certificateAuthority }));
