import { describe, expect } from "vitest";
import { bufferHosts, withoutBufferPods } from "../../../shared/provisioning/buffer-plan.ts";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { bufferPods, isBufferPod, withBufferPods } from "../../../shared/state/buffer-pods.ts";
import { isServedBuffer, resolveBuffer } from "../../../shared/state/capacity-buffers.ts";
import { bufferNamed, podTemplateNamed, resolvedBuffer } from "../../support/buffers.ts";
import { conforms } from "../../support/conformance.ts";
import { nodePool } from "../../support/node-pools.ts";
import { claimedNode } from "../../support/nodes.ts";
import { pendingPod } from "../../support/pods.ts";
import { snapshotWith } from "../../support/snapshot.ts";

describe("the pods of a buffer", () => {
  conforms("buffer.pods | n replicas / 0 (x3) | n pods with stable names and UIDs / none", () => {
    const pods = bufferPods([resolvedBuffer("web", 3)]);
    expect(pods.map(({ uid, name }) => [uid, name])).toEqual([
      ["buffer-web-0", "capacity-buffer-web-0"],
      ["buffer-web-1", "capacity-buffer-web-1"],
      ["buffer-web-2", "capacity-buffer-web-2"],
    ]);
    expect(bufferPods([resolvedBuffer("web", 3)])).toEqual(pods);
    expect(bufferPods([resolvedBuffer("web", 0)])).toEqual([]);
    expect(pods.every(({ priority }) => priority === -2_147_483_648)).toBe(true);
  });

  conforms("buffer.pods | tolerations, selector, affinity | kept", () => {
    const spec = {
      tolerations: [{ key: "team", operator: "Exists" as const }],
      nodeSelector: { team: "shop" },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" as const }] }],
          },
        },
      },
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: "data" } },
        { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } },
        { name: "token" },
      ],
    };
    const [pod] = bufferPods([resolvedBuffer("web", 1, { spec })]);
    const { volumes: _all, ...kept } = spec;
    expect(pod?.constraints.spec).toMatchObject({ ...kept, volumes: [{ name: "token" }] });
    expect(pod?.constraints.tolerations).toEqual(spec.tolerations);
  });

  conforms("buffer.pods | readiness filter (x6) | only ready buffers with replicas >0 and a ref", () => {
    const template = podTemplateNamed("spare");
    const pods = (
      ...[buffer, source]: Parameters<typeof resolveBuffer> extends [infer B, infer S, unknown] ? [B, S] : never
    ) => {
      const resolution = resolveBuffer(buffer, source, []);
      return resolution.kind === "resolved" ? bufferPods([resolution.resolved]).length : "not ready";
    };
    expect(pods(bufferNamed("web", { replicas: 2 }), template)).toBe(2);
    expect(pods(bufferNamed("web", { replicas: 2 }), undefined)).toBe("not ready");
    expect(pods(bufferNamed("web", { replicas: 0 }), template)).toBe(0);
    expect(pods(bufferNamed("web", { limits: { memory: "1Gi" } }), template)).toBe(0);
    const { podTemplateRef: _none, ...bare } = bufferNamed("web", { replicas: 2 }).spec;
    expect(pods({ ...bufferNamed("web", { replicas: 2 }), spec: bare }, template)).toBe("not ready");
    expect(isServedBuffer(bufferNamed("web", { replicas: 2, provisioningStrategy: "example.com/other" }))).toBe(false);
  });

  conforms(
    "buffer.prov | per-node counts and filter helpers (x11) | virtual pods counted by providerID and stripped from pod maps",
    () => {
      const nodes = ["a", "b", "c"].map((name) => claimedNode(name, { cpu: "2" }));
      const snapshot = snapshotWith({
        nodes: nodes.map(({ node }) => node),
        nodeClaims: nodes.map(({ claim }) => claim),
        pools: [nodePool("default", { limits: { nodes: "3" } })],
        pods: [pendingPod("real"), pendingPod("large", { cpu: "3" })],
        capacityBuffers: [resolvedBuffer("web", 4), resolvedBuffer("big", 1, { cpu: "64" })],
      });
      const plan = planProvisioning(snapshot);
      const counts = plan.existing.map(({ name, pods }) => [name, pods.filter(isBufferPod).length]);
      expect(Object.fromEntries(counts)).toEqual({ a: 1, b: 2, c: 1 });
      expect([...bufferHosts(snapshot)]).toEqual(["a", "b", "c"].map((name) => [name, "default/web"]));
      expect(bufferHosts({ ...snapshot, capacityBuffers: [] })).toEqual(new Map());

      expect(plan.unschedulable.map(({ pod }) => pod.name).toSorted()).toEqual(["capacity-buffer-big-0", "large"]);
      expect(withoutBufferPods(plan).unschedulable.map(({ pod }) => pod.name)).toEqual(["large"]);
      expect(withoutBufferPods(plan).waiting).toEqual([]);
      expect(withBufferPods(withBufferPods(snapshot)).pods).toHaveLength(7);
      expect(snapshot.pods.some(isBufferPod)).toBe(false);
    },
  );
});
