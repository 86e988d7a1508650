import { afterAll, beforeAll, expect, it } from "vitest";
import { flowObjects } from "../../../infra/flow-schemas.ts";
import { rbacObjects } from "../../../infra/rbac.ts";
import { valueIn } from "../../../shared/api/raw-objects.ts";
import { type Kubernetes, startKubernetes } from "./control-plane.ts";

const folders: Readonly<Record<string, string>> = {
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/journeyman/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/journeyman/rolebindings",
  FlowSchema: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
  PriorityLevelConfiguration: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
};

let kubernetes: Kubernetes;
beforeAll(async () => {
  kubernetes = await startKubernetes({ release: "1.37" });
  await kubernetes.admin.create("/api/v1/namespaces", { metadata: { name: "journeyman" } });
  const objects = [
    ...rbacObjects("journeyman", { hasDefaultSpread: true, observe: false }),
    ...flowObjects("journeyman"),
  ];
  for (const object of objects) await kubernetes.admin.create(folders[String(valueIn(object, ["kind"]))] ?? "", object);
}, 3_600_000);
afterAll(() => kubernetes?.stop());

it("a function may look for Karpenter's Lease in all namespaces, and for no other", async () => {
  const client = kubernetes.clientFor({
    user: "lifecycle",
    groups: ["journeyman:controllers", "journeyman:lifecycle"],
  });
  const leases = "/apis/coordination.k8s.io/v1/leases";
  const status = async (path: string) => (await client.request("GET", path)).status;
  expect(await status(`${leases}?fieldSelector=metadata.name%3Dkarpenter-leader-election`)).toBe(200);
  expect(await status(leases)).toBe(403);
  expect(await status(`${leases}?fieldSelector=metadata.name%3Dkube-scheduler`)).toBe(403);
  expect(await status("/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkarpenter")).toBe(200);
  client.close();
});

it("the API server sorts our functions' requests into our priority level, and our Leases to the leader elections", async () => {
  const name = "journeyman";
  await kubernetes.admin.until(folders.FlowSchema ?? "", (schemas) =>
    schemas.some(
      (schema) =>
        schema.metadata.name === name && JSON.stringify(schema).includes('"type":"Dangling","status":"False"'),
    ),
  );
  const client = kubernetes.clientFor({ user: "lifecycle", groups: ["journeyman:controllers"] });
  await client.request("GET", "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkarpenter");
  await client.request("GET", "/apis/coordination.k8s.io/v1/namespaces/journeyman/leases/journeyman-planner");
  const metrics = await kubernetes.admin.get<string>("/metrics");
  const counted = (schema: string, level: string) =>
    metrics.includes(`dispatched_requests_total{flow_schema="${schema}",priority_level="${level}"}`);
  expect(counted("journeyman", "journeyman")).toBe(true);
  expect(counted("journeyman-leases", "leader-election")).toBe(true);
  client.close();
});
