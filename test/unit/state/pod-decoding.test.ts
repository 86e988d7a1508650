import { describe, expect, it } from "vitest";
import { PodDecoder, podRecord } from "../../../shared/state/pod-decoding.ts";
import { pendingPod, runningPod, zoneSpread } from "../../support/pods.ts";

describe("pods that planning cannot tell apart", () => {
  const decoder = new PodDecoder();
  const classOf = (input: Parameters<typeof pendingPod>[1], name = "p") =>
    decoder.decode(pendingPod(name, input)).classKey;

  it("share one object of constraints", () => {
    const [a, b] = [pendingPod("a", { app: "web" }), pendingPod("b", { app: "web" })].map((pod) => decoder.decode(pod));
    expect(a?.constraints).toBe(b?.constraints);
  });

  it("may differ in name, node, annotations and labels that number them", () => {
    const same = classOf({ app: "db" });
    expect(classOf({ app: "db", labels: { "apps.kubernetes.io/pod-index": "3" } }, "db-3")).toBe(same);
    expect(classOf({ app: "db", annotations: { note: "x" } })).toBe(same);
    expect(classOf({ app: "db", spec: { volumes: [{ name: "kube-api-access-x7k2p" }] } })).toBe(same);
    expect(decoder.decode(runningPod("r", "n", { app: "db" })).classKey).toBe(same);
  });

  it.each([
    ["requests", { cpu: "2" }],
    ["labels", { app: "other" }],
    ["namespace", { namespace: "other" }],
    ["node selector", { spec: { nodeSelector: { a: "b" } } }],
    ["tolerations", { spec: { tolerations: [{ operator: "Exists" as const }] } }],
    ["spread", { spec: zoneSpread("db") }],
    ["priority", { spec: { priority: 7 } }],
    ["priority class", { spec: { priorityClassName: "system-node-critical" } }],
    ["overhead", { spec: { overhead: { cpu: "10m" } } }],
    [
      "host ports",
      { spec: { containers: [{ name: "app", ports: [{ hostPort: 80 }], resources: { requests: { cpu: "1" } } }] } },
    ],
    ["network", { spec: { hostNetwork: true } }],
    ["resource claims", { spec: { resourceClaims: [{ name: "gpu" }] } }],
    ["volumes", { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-0" } }] } }],
  ])("do not differ in their %s", (_, input) => {
    expect(classOf({ app: "db", ...input })).not.toBe(classOf({ app: "db" }));
  });
});

it("pods in the node's network differ in their container ports, others do not", () => {
  const classOf = (containerPort: number, hostNetwork: boolean) =>
    podRecord(pendingPod("p", { spec: { hostNetwork, containers: [{ ports: [{ containerPort }] }] } })).classKey;
  expect(classOf(80, true)).not.toBe(classOf(81, true));
  expect(classOf(80, false)).toBe(classOf(81, false));
});

describe("a pod record", () => {
  it("is unschedulable by the condition's reason, whatever its status", () => {
    const withReason = (reason: string) =>
      podRecord({ ...pendingPod("p"), status: { conditions: [{ type: "PodScheduled", status: "True", reason }] } });
    expect(withReason("Unschedulable").unschedulable).toBe(true);
    expect(withReason("SchedulingGated").unschedulable).toBe(false);
  });

  it("has the controller as its owner", () => {
    const references = ["first", "controller"].map((uid) => ({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: uid,
      uid,
      ...(uid === "controller" && { controller: true }),
    }));
    expect(podRecord(pendingPod("p", { metadata: { ownerReferences: references } })).owner?.uid).toBe("controller");
  });

  it("fills in what the API server would", () => {
    const { metadata, spec } = pendingPod("p");
    const { namespace: _, uid: __, ...bare } = metadata;
    expect(podRecord({ apiVersion: "v1", kind: "Pod", metadata: bare, spec })).toMatchObject({
      uid: "default/p",
      namespace: "default",
      phase: "Pending",
      priority: 0,
      terminationGracePeriodSeconds: 30,
    });
  });
});
