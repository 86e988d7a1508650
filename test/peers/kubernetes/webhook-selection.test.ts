import { spawnSync } from "node:child_process";
import { createServer, type Server } from "node:https";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AdmissionReview, admissionReview } from "../../../functions/webhook/admission-review.ts";
import { isSelected } from "../../../functions/webhook/match-conditions.ts";
import { close, listen, loopbackCertificates } from "../../support/loopback.ts";
import { type Kubernetes, startKubernetes } from "./control-plane.ts";
import { releases } from "./releases.ts";
import type { TestClient } from "./test-client.ts";
import { defineKind, installWebhook } from "./webhook-installation.ts";

const hasGo = spawnSync("go", ["version"]).status === 0;
const minutes = 60_000;
const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const pods = "/api/v1/namespaces/default/pods";
const systemPods = "/api/v1/namespaces/kube-system/pods";
const certificates = loopbackCertificates();
const caBundle = Buffer.from(certificates.certificateAuthority).toString("base64");

type Write = (client: TestClient) => Promise<unknown>;

const ready = (status: string) => ({ status: { conditions: [{ type: "Ready", status, reason: "Kubelet" }] } });
const scheduled = (fields: object) => ({
  status: { conditions: [{ type: "PodScheduled", status: "False", ...fields }] },
});
const unschedulable = (message: string) => scheduled({ reason: "Unschedulable", message });

/** What is written, in order, and whether the webhook is to hear of it. A pod of another scheduler changes by these writes alone. */
const writes: readonly (readonly [string, boolean, Write])[] = [
  ["a pod is created", false, (client) => client.create(pods, pod("a"))],
  ["its scheduler finds no node", true, (client) => client.patch(`${pods}/a/status`, unschedulable("0/3 nodes"))],
  ["its phase changes", false, (client) => client.patch(`${pods}/a/status`, { status: { message: "still pending" } })],
  ["the message is the same", false, (client) => client.patch(`${pods}/a/status`, unschedulable("0/3 nodes"))],
  ["the message changes", true, (client) => client.patch(`${pods}/a/status`, unschedulable("0/4 nodes"))],
  [
    "the reason is another",
    false,
    (client) => client.patch(`${pods}/a/status`, scheduled({ reason: "SchedulerError" })),
  ],
  ["there is no reason", false, (client) => client.patch(`${pods}/a/status`, scheduled({}))],
  ["there are no conditions", false, (client) => client.patch(`${pods}/a/status`, { status: { conditions: null } })],
  ["there is no message", true, (client) => client.patch(`${pods}/a/status`, scheduled({ reason: "Unschedulable" }))],
  ["its labels change", false, (client) => client.patch(`${pods}/a`, { metadata: { labels: { a: "b" } } })],
  ["a pod with a node is created", false, (client) => client.create(pods, pod("b", { nodeName: "n" }))],
  ["it is unschedulable all the same", false, (client) => client.patch(`${pods}/b/status`, unschedulable("no node"))],
  ["a pod of kube-system is created", false, (client) => client.create(systemPods, pod("c"))],
  ["it finds no node", false, (client) => client.patch(`${systemPods}/c/status`, unschedulable("no node"))],
  ["a pod with a finalizer is created", false, (client) => client.create(pods, pod("d", {}, ["example.com/kept"]))],
  ["it is deleted", false, (client) => client.delete(`${pods}/d?gracePeriodSeconds=0`)],
  ["it finds no node while it goes", false, (client) => client.patch(`${pods}/d/status`, unschedulable("no node"))],
  ["a node is created", true, (client) => client.create("/api/v1/nodes", { metadata: { name: "n" } })],
  ["it is not ready", false, (client) => client.patch("/api/v1/nodes/n/status", ready("False"))],
  ["it becomes ready", true, (client) => client.patch("/api/v1/nodes/n/status", ready("True"))],
  ["its labels change", false, (client) => client.patch("/api/v1/nodes/n", { metadata: { labels: { a: "b" } } })],
  ["it is unknown", false, (client) => client.patch("/api/v1/nodes/n/status", ready("Unknown"))],
  ["it becomes ready again", true, (client) => client.patch("/api/v1/nodes/n/status", ready("True"))],
  ...ofKind("karpenter.sh", "nodepools"),
  ...ofKind("karpenter.sh", "nodeclaims"),
  ...ofKind("karpenter.k8s.aws", "ec2nodeclasses"),
];

/** Skipped without Go. */
describe.skipIf(!hasGo).each(releases)("the CEL of the webhook's match conditions on Kubernetes %s", (release) => {
  let kubernetes: Kubernetes;
  let server: Server;
  /** Reviews by the path they came to: what the conditions let through, and everything. */
  const heard = { "/admit": [] as AdmissionReview[], "/all": [] as AdmissionReview[] };

  beforeAll(async () => {
    const { certificate, privateKey } = certificates;
    server = createServer({ cert: certificate, key: privateKey }, async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const review = admissionReview.parse(JSON.parse(body));
      heard[request.url?.startsWith("/all") ? "/all" : "/admit"].push(review);
      const { uid } = review.request;
      response.end(
        JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: { uid, allowed: true } }),
      );
    });
    const url = `https://localhost:${await listen(server)}`;
    kubernetes = await startKubernetes({
      release,
      tokens: { planner: { user: "planner", groups: ["journeyman:controllers"] } },
    });
    await defineKind(kubernetes.admin, "karpenter.sh", "NodePool");
    await defineKind(kubernetes.admin, "karpenter.sh", "NodeClaim");
    await defineKind(kubernetes.admin, "karpenter.k8s.aws", "EC2NodeClass");
    await installWebhook(kubernetes.admin, { url: `${url}/admit`, caBundle });
    await kubernetes.admin.create(configurations, everything(`${url}/all`));
    const hears = async () => expect(heardOf(await writeNode(kubernetes.admin))).toEqual([true, true]);
    await vi.waitFor(hears, { timeout: 20_000, interval: 100 });
  }, 40 * minutes);
  afterAll(async () => {
    await kubernetes?.stop();
    if (server !== undefined) await close(server);
  });

  /** Whether each of the two heard of something of this name, which is forgotten then. */
  function heardOf(name: string): boolean[] {
    return [heard["/admit"], heard["/all"]].map((reviews) =>
      reviews.splice(0).some((each) => each.request.name === name),
    );
  }

  let attempts = 0;
  async function writeNode(client: TestClient): Promise<string> {
    const name = `probe-${attempts++}`;
    await client.create("/api/v1/nodes", { metadata: { name } });
    return name;
  }

  it("selects the requests that our own reading of them selects", async () => {
    for (const [what, isWanted, write] of writes) {
      heard["/admit"] = [];
      heard["/all"] = [];
      await write(kubernetes.admin);
      // The scheduler and the controllers write too; what they do to other objects is no matter here.
      const byAdmin = (reviews: readonly AdmissionReview[]) =>
        reviews.filter(({ request }) => request.userInfo.groups.includes("system:masters"));
      const read = byAdmin(heard["/all"]).some(({ request }) => isSelected(request));
      expect([what, byAdmin(heard["/admit"]).length > 0, read]).toEqual([what, isWanted, isWanted]);
    }
  });

  it("leaves out what our own functions write", async () => {
    await kubernetes.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "planner" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "planner" }],
    });
    const planner = kubernetes.clientFor({ token: "planner" });
    await expect.poll(async () => (await planner.request("GET", "/api/v1/nodes")).status).toBe(200);
    expect(heardOf(await writeNode(planner))).toEqual([false, true]);
  });
});

/** Each of the rules again, without any condition. */
function everything(url: string): object {
  const rule = (apiGroup: string, resources: readonly string[]) => ({
    apiGroups: [apiGroup],
    apiVersions: ["v1"],
    operations: ["CREATE", "UPDATE", "DELETE"],
    resources,
  });
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "everything" },
    webhooks: [
      {
        name: "everything.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        timeoutSeconds: 10,
        clientConfig: { url, caBundle },
        rules: [
          rule("", ["pods", "pods/status", "nodes", "nodes/status"]),
          rule("karpenter.sh", ["*"]),
          rule("karpenter.k8s.aws", ["*"]),
        ],
      },
    ],
  };
}

function pod(name: string, spec: object = {}, finalizers: readonly string[] = []): object {
  const containers = [{ name: "main", image: "example.com/main" }];
  return { metadata: { name, finalizers }, spec: { schedulerName: "nobody", containers, ...spec } };
}

function ofKind(group: string, plural: string): (readonly [string, boolean, Write])[] {
  const path = `/apis/${group}/v1/${plural}`;
  const kinds: Readonly<Record<string, string>> = {
    nodepools: "NodePool",
    nodeclaims: "NodeClaim",
    ec2nodeclasses: "EC2NodeClass",
  };
  const object = { apiVersion: `${group}/v1`, kind: kinds[plural], metadata: { name: "x" }, spec: { a: 1 } };
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  return [
    [`one of ${plural} is created`, true, (client) => client.create(path, object)],
    [`its spec changes (${plural})`, true, (client) => client.patch(`${path}/x`, { spec: { a: 2 } })],
    [
      `its labels change (${plural})`,
      false,
      (client) => client.patch(`${path}/x`, { metadata: { labels: { a: "b" } } }),
    ],
    [`its status changes (${plural})`, false, (client) => client.patch(`${path}/x/status`, { status })],
    [`it is deleted (${plural})`, true, (client) => client.delete(`${path}/x`)],
  ];
}
