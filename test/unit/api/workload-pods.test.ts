import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../shared/api/kinds.ts";
import { podsOf, uidOf } from "../../../shared/api/workload-pods.ts";
import { readManifests } from "../../support/api-manifests.ts";

const template = { metadata: { labels: { app: "web" }, annotations: { note: "x" } }, spec: { containers: [{}] } };

function workload(kind: string, spec: object, more: object = {}): KubernetesObject {
  const apiVersion = kind === "Pod" ? "v1" : kind.endsWith("Job") ? "batch/v1" : "apps/v1";
  const { objects, problems } = readManifests({
    apiVersion,
    kind,
    metadata: { name: "web", namespace: "shop" },
    spec,
    ...more,
  });
  expect(problems).toEqual([]);
  const [loaded] = objects;
  if (loaded === undefined) throw new Error(`the ${kind} was not read`);
  return loaded.object;
}

const names = (object: KubernetesObject, replicas?: number) =>
  podsOf(object, replicas).map(({ metadata }) => metadata.name);

describe("pods of a workload", () => {
  it.each(["Deployment", "ReplicaSet", "StatefulSet"])("are one for a %s that does not say how many", (kind) => {
    expect(names(workload(kind, { template }))).toEqual(["web-0"]);
  });

  it("are as many as its replicas, which an override replaces", () => {
    const deployment = workload("Deployment", { replicas: 2, template });
    expect(names(deployment)).toEqual(["web-0", "web-1"]);
    expect(names(deployment, 3)).toHaveLength(3);
    expect(names(deployment, 0)).toEqual([]);
  });

  it("have numbers from a StatefulSet's first ordinal on", () => {
    const spec = { replicas: 2, ordinals: { start: 5 }, template };
    expect(names(workload("StatefulSet", spec))).toEqual(["web-5", "web-6"]);
    expect(podsOf(workload("StatefulSet", spec))[1]?.metadata.labels).toHaveProperty(
      ["apps.kubernetes.io/pod-index"],
      "6",
    );
  });

  it("count as pending, controlled by the workload, with its labels, annotations and namespace", () => {
    const deployment = workload("Deployment", { template });
    const [pod] = podsOf(deployment);
    expect(pod?.metadata).toMatchObject({ namespace: "shop", labels: { app: "web" }, annotations: { note: "x" } });
    expect(pod?.metadata.ownerReferences).toEqual([
      { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: uidOf(deployment), controller: true },
    ]);
    expect(pod?.status).toEqual({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
    });
  });

  it("have uids that are distinct and the same each time", () => {
    const deployment = workload("Deployment", { replicas: 3, template });
    const uids = podsOf(deployment).map(({ metadata }) => metadata.uid);
    expect(new Set(uids).size).toBe(3);
    expect(podsOf(deployment).map(({ metadata }) => metadata.uid)).toEqual(uids);
  });

  it("are not pending but gated while they have scheduling gates", () => {
    const gated = { ...template, spec: { ...template.spec, schedulingGates: [{ name: "wait" }] } };
    const [pod] = podsOf(workload("Deployment", { template: gated }));
    expect(pod?.status?.conditions?.[0]?.reason).toBe("SchedulingGated");
  });

  it("mount a claim of their own for each template of a StatefulSet, in place of the volume of that name", () => {
    const volumes = [{ name: "data" }, { name: "tmp" }];
    const spec = {
      replicas: 2,
      template: { ...template, spec: { ...template.spec, volumes } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { storageClassName: "gp3" } }],
    };
    expect(podsOf(workload("StatefulSet", spec))[1]?.spec.volumes).toEqual([
      { name: "tmp" },
      { name: "data", persistentVolumeClaim: { claimName: "data-web-1" } },
    ]);
  });

  it("carry the labels that their controllers add", () => {
    const labelsOf = (kind: string) => podsOf(workload(kind, { replicas: 2, template }))[1]?.metadata.labels;
    expect(labelsOf("StatefulSet")).toMatchObject({
      "statefulset.kubernetes.io/pod-name": "web-1",
      "apps.kubernetes.io/pod-index": "1",
    });
    expect(labelsOf("Deployment")).toHaveProperty("pod-template-hash");
    expect(labelsOf("ReplicaSet")).toEqual({ app: "web" });
  });

  it("are none for a DaemonSet, whose pods come with the nodes", () => {
    expect(podsOf(workload("DaemonSet", { template }))).toEqual([]);
  });
});

describe("pods of a Job", () => {
  it.each([
    [{}, 1],
    [{ parallelism: 3 }, 3],
    [{ parallelism: 5, completions: 2 }, 2],
    [{ completions: 8 }, 1],
    [{ parallelism: 3, suspend: true }, 0],
  ])("with %j are %i", (spec, count) => {
    expect(podsOf(workload("Job", { ...spec, template }))).toHaveLength(count);
  });

  it("are only those that are still to complete", () => {
    const spec = { parallelism: 4, completions: 6, template };
    expect(podsOf(workload("Job", spec, { status: { succeeded: 5 } }))).toHaveLength(1);
  });

  it.each(["Complete", "Failed"])("are none once it is %s", (type) => {
    expect(podsOf(workload("Job", { template }, { status: { conditions: [{ type, status: "True" }] } }))).toEqual([]);
  });

  it("are those of one run for a CronJob", () => {
    const spec = { schedule: "@daily", jobTemplate: { spec: { parallelism: 2, template } } };
    expect(names(workload("CronJob", spec))).toEqual(["web-0", "web-1"]);
  });
});

describe("a bare pod", () => {
  it("is itself, pending when nothing has scheduled it", () => {
    const [pod] = podsOf(workload("Pod", { containers: [{}] }), 7);
    expect(pod?.metadata.name).toBe("web");
    expect(pod?.metadata.uid).toBeDefined();
    expect(pod?.status?.conditions?.[0]?.reason).toBe("Unschedulable");
  });

  it.each([
    ["runs on a node", { containers: [{}], nodeName: "n1" }, { phase: "Running" }],
    ["has ended", { containers: [{}] }, { phase: "Succeeded" }],
    [
      "was judged by the scheduler",
      { containers: [{}] },
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulerError" }] },
    ],
  ])("keeps its status when it %s", (_case, spec, status) => {
    expect(podsOf(workload("Pod", spec, { status }))[0]?.status).toEqual(status);
  });
});
