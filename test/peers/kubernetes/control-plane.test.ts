import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kubernetes, startKubernetes } from "./control-plane.ts";
import { keepNodesAlive, registerReadyNode } from "./nodes.ts";
import { releases } from "./releases.ts";
import type { KubernetesObject } from "./test-client.ts";

const hasGo = spawnSync("go", ["version"]).status === 0;
const minutes = 60_000;

interface Pod extends KubernetesObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly Readonly<Record<string, string>>[] };
}

interface Node extends KubernetesObject {
  readonly spec: { readonly taints?: readonly { readonly key: string; readonly effect: string }[] };
}

const pods = "/api/v1/namespaces/default/pods";
const configMaps = "/api/v1/namespaces/default/configmaps";

/** Skipped without Go. */
describe.skipIf(!hasGo).each(releases)("a control plane of Kubernetes %s", (release) => {
  let kubernetes: Kubernetes;
  let stopBeating = () => {};
  beforeAll(async () => {
    kubernetes = await startKubernetes({
      release,
      tokens: { letmein: { user: "reader", groups: ["readers"] } },
      flags: { "kube-controller-manager": { "node-monitor-grace-period": "15s" } },
    });
    stopBeating = keepNodesAlive(kubernetes.admin, { isDead: (name) => name === "dead", everyMilliseconds: 2_000 });
  }, 40 * minutes);
  afterAll(async () => {
    stopBeating();
    await kubernetes?.stop();
  });

  it("is of the release that was asked for", async () => {
    const version = await kubernetes.admin.get<Record<string, string>>("/version");
    expect(version).toMatchObject({ gitVersion: `v${kubernetes.version}` });
    expect(kubernetes.version.startsWith(`${release}.`)).toBe(true);
    expect(version.major).toBe("1");
    expect(`1.${version.minor}`).toBe(release);
  });

  it("makes the pods of a Deployment by its real controllers", async () => {
    await kubernetes.admin.create("/apis/apps/v1/namespaces/default/deployments", deployment("made", 3));
    const made = await kubernetes.admin.until<Pod>(`${pods}?labelSelector=app%3Dmade`, (all) => all.length === 3);
    const owners = made.flatMap(({ metadata }) => metadata.ownerReferences);
    expect(owners).toEqual(Array(3).fill(expect.objectContaining({ kind: "ReplicaSet", controller: true })));
  });

  it("says Unschedulable of a pod that fits nowhere", async () => {
    await kubernetes.admin.create(pods, pod("large", { cpu: "1000" }));
    const [large] = await kubernetes.admin.until<Pod>(named("large"), ([found]) => scheduled(found) !== undefined);
    expect(scheduled(large)).toMatchObject({ status: "False", reason: "Unschedulable" });
  });

  it("lifts the taint of a node that becomes ready, and binds the pod that waits for it", async () => {
    await kubernetes.admin.create(pods, {
      ...pod("waiting", { cpu: "3", selector: { "example.com/for": "waiting" } }),
    });
    await kubernetes.admin.until<Pod>(named("waiting"), ([found]) => scheduled(found)?.reason === "Unschedulable");
    await registerReadyNode(kubernetes.admin, "node-a", { labels: { "example.com/for": "waiting" } });
    const [bound] = await kubernetes.admin.until<Pod>(
      named("waiting"),
      ([found]) => found?.spec.nodeName !== undefined,
    );
    expect(bound?.spec.nodeName).toBe("node-a");
    const node = await kubernetes.admin.get<Node>("/api/v1/nodes/node-a");
    expect(taintsOf(node)).toEqual([]);
  });

  it("taints a node whose kubelet has stopped, and leaves one alone that is kept alive", async () => {
    await registerReadyNode(kubernetes.admin, "dead");
    await registerReadyNode(kubernetes.admin, "alive");
    const isLost = (node: Node) => taintsOf(node).includes("node.kubernetes.io/unreachable:NoExecute");
    const nodes = await kubernetes.admin.until<Node>("/api/v1/nodes", (all) => all.some(isLost), 60);
    const lost = nodes.filter(isLost).map(({ metadata }) => metadata.name);
    expect(lost).toEqual(["dead"]);
  });

  it("counts pods for a PodDisruptionBudget", async () => {
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await kubernetes.admin.create("/apis/apps/v1/namespaces/default/deployments", deployment("guarded", 2));
    await kubernetes.admin.create(budgets, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "guarded" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
    });
    const guarded = await kubernetes.admin.until<Pod>(`${pods}?labelSelector=app%3Dguarded`, (all) => all.length === 2);
    for (const { metadata } of guarded) {
      await kubernetes.admin.patch(`${pods}/${metadata.name}/status`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
    }
    const wanted = { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1, expectedPods: 2 };
    const [budget] = await kubernetes.admin.until(
      budgets,
      ([found]) => (found?.status as { currentHealthy?: number } | undefined)?.currentHealthy === 2,
    );
    expect(budget?.status).toMatchObject(wanted);
  });

  it("refuses what no access rule gives", async () => {
    const nobody = kubernetes.clientFor({ user: "nobody" });
    const { status, body } = await nobody.request("GET", pods);
    expect(status).toBe(403);
    expect(body.message).toContain('User "nobody" cannot list resource "pods"');
  });

  it("gives a group what its ClusterRoleBinding says, to bearers of a token too", async () => {
    await kubernetes.admin.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "readers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "readers" }],
    });
    const certificateHolder = kubernetes.clientFor({ user: "ann", groups: ["readers"] });
    expect((await certificateHolder.request("GET", pods)).status).toBe(200);
    expect((await certificateHolder.request("POST", configMaps, configMap("refused"))).status).toBe(403);
    const bearer = kubernetes.clientFor({ token: "letmein" });
    expect((await bearer.request("GET", pods)).status).toBe(200);
    expect((await kubernetes.clientFor({ token: "guessed" }).request("GET", pods)).status).toBe(401);
  });

  it("serves its objects again after its API server has been restarted, and goes on", async () => {
    await kubernetes.admin.create(configMaps, configMap("kept"));
    await kubernetes.stopApiServer();
    await expect(kubernetes.admin.request("GET", configMaps)).rejects.toThrow("ECONNREFUSED");
    await kubernetes.startApiServer();
    expect(await kubernetes.admin.get(`${configMaps}/kept`)).toMatchObject({ data: { key: "value" } });
    await kubernetes.admin.create("/apis/apps/v1/namespaces/default/deployments", deployment("later", 1));
    await kubernetes.admin.until<Pod>(`${pods}?labelSelector=app%3Dlater`, ([found]) => scheduled(found) !== undefined);
  });

  it("loses nothing when its API server crashes", async () => {
    await kubernetes.admin.create(configMaps, configMap("written"));
    await kubernetes.stopApiServer("SIGKILL");
    await kubernetes.startApiServer();
    expect(await kubernetes.admin.get(`${configMaps}/written`)).toMatchObject({ data: { key: "value" } });
  });

  it("answers nobody while its API server is paused, and then late", async () => {
    kubernetes.pauseApiServer();
    const patience = AbortSignal.timeout(300);
    const answer = kubernetes.admin.request("GET", "/version");
    const first = await Promise.race([
      answer,
      new Promise((resolve) => patience.addEventListener("abort", () => resolve("silence"))),
    ]);
    kubernetes.resumeApiServer();
    expect(first).toBe("silence");
    expect((await answer).status).toBe(200);
  });
});

function taintsOf({ spec }: Node): readonly string[] {
  return (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
}

function scheduled(found: Pod | undefined): Readonly<Record<string, string>> | undefined {
  return found?.status.conditions?.find(({ type }) => type === "PodScheduled");
}

function named(name: string): string {
  return `${pods}?fieldSelector=metadata.name%3D${name}`;
}

function configMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: "value" } };
}

interface PodParts {
  readonly cpu?: string;
  readonly selector?: Readonly<Record<string, string>>;
}

function pod(name: string, parts: PodParts = {}): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: podSpec(parts) };
}

function podSpec({ cpu = "100m", selector = {} }: PodParts): object {
  return {
    containers: [{ name: "main", image: "example.com/main", resources: { requests: { cpu } } }],
    nodeSelector: selector,
  };
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  // Its pods are not to take the room of a test's node.
  const spec = podSpec({ selector: { "example.com/for": "nobody" } });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
