import { describe, expect, it } from "vitest";
import type { NodeClaim } from "../../../shared/api/node-claim.ts";
import type { AdmissionRequest, AdmissionReview } from "../../../shared/simulator/admission.ts";
import { deploymentNamed, nodeNamed, podNamed } from "../../support/cluster-objects.ts";
import { startAt } from "../../support/simulated-aws.ts";
import { apiServerAlone, clusterInVirtualTime } from "../../support/simulated-cluster.ts";

const web = { namespace: "default", name: "web" };
const unschedulable = { type: "PodScheduled", status: "False", reason: "Unschedulable" };

describe("ApiServer", () => {
  it("takes times from the loop, in whole seconds as Kubernetes does", async () => {
    const { loop, server } = apiServerAlone();
    await loop.runUntil(startAt + 1_900);
    const { metadata } = server.create("Pod", podNamed("web"));
    expect(metadata.creationTimestamp).toBe("2026-11-30T12:00:01Z");
  });

  it("keeps the spec of a NodeClaim as it was created, and drops a status given at creation", () => {
    const { server } = apiServerAlone();
    const created = server.create("NodeClaim", { ...nodeClaim("claim"), status: { providerID: "aws:///a/i-1" } });
    expect(created.status).toBeUndefined();
    expect(() => server.patch("NodeClaim", { name: "claim" }, { spec: { expireAfter: "1h" } })).toThrow(
      'nodeclaims "claim" is invalid: spec: Invalid value: spec is immutable',
    );
  });

  it("lets no update move a pod to another node", () => {
    const { server } = apiServerAlone();
    server.create("Pod", podNamed("web"));
    expect(() => server.patch("Pod", web, { spec: { nodeName: "node-1" } })).toThrow("pod updates may not change");
    server.bind(web, "node-1");
    expect(() => server.bind(web, "node-2")).toThrow("already assigned to node-1");
  });

  it("validates and defaults custom resources as their schema says", () => {
    const { server } = apiServerAlone();
    const claim = nodeClaim("claim");
    const wrong = { ...claim, spec: { ...claim.spec, expireAfter: "soon" } };
    expect(() => server.create("NodeClaim", wrong)).toThrow(/nodeclaims "claim" is invalid: .*expected a duration/);
  });

  it("draws another name when the one it made of generateName is taken", () => {
    const pod = podNamed("");
    const unnamed = { ...pod, metadata: { ...pod.metadata, generateName: "web-" } };
    // The same seed draws the same name each time.
    const nameBeside = (taken: string) => {
      const { server } = apiServerAlone();
      server.create("Pod", podNamed(taken));
      return server.create("Pod", unnamed).metadata.name;
    };
    const drawnFirst = nameBeside("other");
    expect(nameBeside("another")).toBe(drawnFirst);
    expect(nameBeside(drawnFirst)).toMatch(/^web-[a-z0-9]{5}$/);
    expect(nameBeside(drawnFirst)).not.toBe(drawnFirst);
  });

  it("refuses annotations beyond 256 KiB and ConfigMaps beyond 1 MiB", () => {
    const { server } = apiServerAlone();
    const annotations = { big: "x".repeat(262_144) };
    expect(() => server.create("Pod", podNamed("web", { annotations }))).toThrow("metadata.annotations: Too long");
    const data = { big: "x".repeat(1_048_576) };
    const metadata = { namespace: "default", name: "facts" };
    expect(() => server.create("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata, data })).toThrow(
      "Too long",
    );
  });

  it("gives a pod the priority of its class and five minutes on a node that is not ready", () => {
    const { server } = apiServerAlone();
    const { spec } = server.create("Pod", podNamed("web", { spec: { priorityClassName: "system-node-critical" } }));
    expect(spec.priority).toBe(2_000_001_000);
    expect(spec.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds])).toEqual([
      ["node.kubernetes.io/not-ready", 300],
      ["node.kubernetes.io/unreachable", 300],
    ]);
  });

  it("gives a pod what the LimitRange of its namespace says", () => {
    const { server } = apiServerAlone();
    server.create("LimitRange", {
      apiVersion: "v1",
      kind: "LimitRange",
      metadata: { name: "defaults", namespace: "default" },
      spec: { limits: [{ type: "Container", defaultRequest: { cpu: "500m" } }] },
    });
    const { spec } = server.create("Pod", podNamed("web", { memory: "1Gi" }));
    expect(spec.containers).toMatchObject([{ resources: { requests: { cpu: "500m", memory: "1Gi" } } }]);
  });

  it("tells watchers of every change, with the object before it", () => {
    const { server } = apiServerAlone();
    const seen: unknown[] = [];
    const stop = server.watch("Pod", ({ type, object, previous }) => {
      seen.push([type, object.metadata.labels?.v, previous?.metadata.labels?.v]);
    });
    server.create("Pod", podNamed("web", { labels: { v: "1" } }));
    server.patch("Pod", web, { metadata: { labels: { v: "2" } } });
    server.patch("Pod", web, { metadata: { labels: { v: "2" } } });
    server.delete("Pod", web);
    stop();
    server.create("Pod", podNamed("web"));
    expect(seen).toEqual([
      ["ADDED", "1", undefined],
      ["MODIFIED", "2", "1"],
      ["DELETED", "2", undefined],
    ]);
  });

  it("freezes what it hands out", () => {
    const { server } = apiServerAlone();
    const created = server.create("Pod", podNamed("web"));
    expect(() => {
      created.spec.nodeName = "node-1";
    }).toThrow(TypeError);
  });
});

describe("admission webhooks", () => {
  function withWebhook(call: (review: AdmissionReview) => unknown, matches?: (request: AdmissionRequest) => boolean) {
    const { server } = apiServerAlone();
    server.create("Pod", podNamed("web"));
    server.addWebhook({
      name: "pods",
      kind: "Pod",
      operations: ["UPDATE"],
      subResource: "status",
      ...(matches === undefined ? {} : { matches }),
      call,
    });
    return server;
  }
  const patchStatus = (server: ReturnType<typeof withWebhook>, user: string) =>
    server.patch("Pod", web, { status: { conditions: [unschedulable] } }, { subresource: "status", user });

  it("are sent an AdmissionReview of the pod before and after a status update", () => {
    const reviews: AdmissionReview[] = [];
    const server = withWebhook((review) => reviews.push(review));
    patchStatus(server, "system:kube-scheduler");
    server.patch("Pod", web, { metadata: { labels: { a: "1" } } });
    expect(reviews).toHaveLength(1);
    expect(reviews[0]).toMatchObject({
      apiVersion: "admission.k8s.io/v1",
      request: {
        operation: "UPDATE",
        resource: { group: "", version: "v1", resource: "pods" },
        subResource: "status",
        name: "web",
        namespace: "default",
        userInfo: { username: "system:kube-scheduler" },
        dryRun: false,
        object: { status: { conditions: [unschedulable] } },
        oldObject: { status: { phase: "Pending" } },
      },
    });
  });

  it("are called only where their conditions match", () => {
    let calls = 0;
    const server = withWebhook(
      () => calls++,
      ({ userInfo }) => userInfo.username === "system:kube-scheduler",
    );
    patchStatus(server, "journeyman");
    expect(calls).toBe(0);
  });

  it("fail open, whether they throw or reject", async () => {
    const server = withWebhook(() => Promise.reject(new Error("no endpoints")));
    server.addWebhook({
      name: "broken",
      kind: "Pod",
      operations: ["UPDATE"],
      subResource: "status",
      call: () => {
        throw new Error("broken");
      },
    });
    expect(patchStatus(server, "system:kube-scheduler").status?.conditions).toEqual([unschedulable]);
    await Promise.resolve();
    await Promise.resolve();
    expect(server.admission.failures).toBe(2);
  });
});

describe("garbage collection", () => {
  it("deletes what a deleted object owned, in the background and down to the pods", async () => {
    const { server, advance, pods } = clusterInVirtualTime();
    server.create("Deployment", deploymentNamed("web", { replicas: 3 }));
    await advance(5);
    expect(pods()).toHaveLength(3);
    server.delete("Deployment", web);
    expect(pods()).toHaveLength(3);
    await advance(5);
    expect([...pods(), ...server.list("ReplicaSet")]).toEqual([]);
  });

  it("deletes a NodeClaim with its owner but waits for its finalizer", async () => {
    const { server, advance } = clusterInVirtualTime();
    const node = server.create("Node", nodeNamed("owner"));
    const owner = { apiVersion: "v1", kind: "Node", name: "owner", uid: node.metadata.uid ?? "" };
    const claim = nodeClaim("claim");
    const metadata = { ...claim.metadata, finalizers: ["karpenter.sh/termination"], ownerReferences: [owner] };
    server.create("NodeClaim", { ...claim, metadata });
    server.delete("Node", { name: "owner" });
    await advance(5);
    expect(server.get("NodeClaim", { name: "claim" })?.metadata.deletionTimestamp).toBeDefined();
  });
});

function nodeClaim(name: string): NodeClaim {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name },
    spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" }, requirements: [] },
  };
}
