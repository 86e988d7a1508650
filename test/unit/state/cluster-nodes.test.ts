import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { clusterNodes } from "../../../shared/state/cluster-nodes.ts";
import { daemonSetNamed, nodeNamed } from "../../support/cluster-objects.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { claimedNode, inFlightClaim, plainNode } from "../../support/nodes.ts";
import { runningPod } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";

const nodesOf = (world: World) => clusterNodes(snapshotWith(world));

describe("cluster nodes", () => {
  it("join a Node and its NodeClaim by provider ID", () => {
    const { node, claim } = claimedNode("n");
    const [joined, ...others] = nodesOf({ nodes: [node], nodeClaims: [claim] });
    expect(others).toEqual([]);
    expect(joined).toMatchObject({ name: "n", nodePool: "default", initialized: true, nodeClaim: claim, node });
  });

  it("do not join a Node without a provider ID with a claim that has none yet", () => {
    const names = nodesOf({ nodes: [nodeNamed("n", { spec: { providerID: "" } })], nodeClaims: [nodeClaim("c")] });
    expect(names.map(({ name, nodeClaim: claim }) => [name, claim?.metadata.name])).toEqual([
      ["n", undefined],
      ["c", "c"],
    ]);
  });

  it("come initialized ones first, then by name", () => {
    const starting = claimedNode("a", { initialized: false });
    const world = { nodes: [plainNode("z"), starting.node, plainNode("b")], nodeClaims: [starting.claim] };
    expect(nodesOf(world).map(({ name }) => name)).toEqual(["b", "z", "a"]);
  });

  it("have no room while the claim is not launched", () => {
    expect(nodesOf({ nodeClaims: [nodeClaim("c")] })[0]).toMatchObject({ allocatable: {}, capacity: {} });
  });

  it("have what a claim asks for that was made for no pods of ours", () => {
    const asking = (annotations: Readonly<Record<string, string>> = {}) => {
      const claim = nodeClaim("c", { annotations });
      const resources = { requests: { cpu: "4", memory: "8Gi" } };
      return nodesOf({ nodeClaims: [{ ...claim, spec: { ...claim.spec, resources } }] })[0]?.allocatable;
    };
    expect(asking()).toEqual({ cpu: 4_000, memory: 8 * 2 ** 30, pods: 1 });
    const nominated = JSON.stringify([{ uid: "p", owner: "", class: "" }]);
    expect(asking({ "journeyman.sh/nominated-pods": nominated })).toEqual({});
  });

  it("have the labels that the claim settles, before there is a Node", () => {
    expect(nodesOf({ nodeClaims: [inFlightClaim("c")] })[0]?.labels).toMatchObject({
      [label.arch]: "amd64",
      [label.zone]: "a",
      [label.hostname]: "c",
    });
  });

  it("fill the zeros of a starting kubelet from the claim, and believe a started one", () => {
    const withGpu = (initialized: boolean) => {
      const { node, claim } = claimedNode("n", { initialized });
      const allocatable = { ...node.status?.allocatable, "nvidia.com/gpu": "0" };
      const promised = { ...claim.status?.allocatable, "nvidia.com/gpu": "1" };
      return nodesOf({
        nodes: [{ ...node, status: { ...node.status, allocatable } }],
        nodeClaims: [{ ...claim, status: { ...claim.status, allocatable: promised } }],
      })[0]?.allocatable["nvidia.com/gpu"];
    };
    expect([withGpu(false), withGpu(true)]).toEqual([1, 0]);
  });

  it("lose startup and ephemeral taints only while they start", () => {
    const taints = (["startup", "node.kubernetes.io/not-ready", "readiness.k8s.io/cni", "own"] as const).map((key) => ({
      key,
      effect: "NoSchedule" as const,
    }));
    const keysOf = (initialized: boolean) => {
      const { node, claim } = claimedNode("n", { taints, startupTaints: taints.slice(0, 1), initialized });
      return nodesOf({ nodes: [node], nodeClaims: [claim] })[0]?.taints.map(({ key }) => key);
    };
    expect(keysOf(false)).toEqual(["own"]);
    expect(keysOf(true)).toEqual(taints.map(({ key }) => key));
  });

  it.each([
    ["marked", plainNode("n", { annotations: { "journeyman.sh/replace": "{}" } })],
    ["tainted as disrupted", plainNode("n", { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] })],
    ["deleted", { ...plainNode("n"), metadata: { name: "n", deletionTimestamp: "2026-01-01T00:00:00Z" } }],
  ])("are leaving when %s", (_, node) => {
    expect(nodesOf({ nodes: [node] })[0]?.leaving).toBe(true);
  });

  it("count what DaemonSets will still take, and never less than nothing", () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "500m" })];
    const daemonPod = (cpu: string) => runningPod("d", "n", { cpu, owner: { kind: "DaemonSet", uid: "agent" } });
    const used = (pods: World["pods"]) =>
      nodesOf({ nodes: [plainNode("n")], daemonSets, pods: pods ?? [] })[0]?.used.cpu;
    expect(used([])).toBe(500);
    expect(used([daemonPod("500m")])).toBe(500);
    expect(used([daemonPod("800m"), runningPod("web", "n", { cpu: "1" })])).toBe(1_800);
  });

  it("keep no room for a daemon that is larger than the node", () => {
    const daemonSets = [daemonSetNamed("huge", { cpu: "5" }), daemonSetNamed("agent", { cpu: "4" })];
    expect(nodesOf({ nodes: [plainNode("n", { cpu: "4" })], daemonSets })[0]?.used.cpu).toBe(4_000);
  });

  it("carry the taint of a cordoned node, which its own daemons tolerate", () => {
    const plain = plainNode("n");
    const node = { ...plain, spec: { ...plain.spec, unschedulable: true } };
    const [cordoned] = nodesOf({ nodes: [node], daemonSets: [daemonSetNamed("agent", { cpu: "1" })] });
    expect(cordoned?.taints).toEqual([{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]);
    expect(cordoned?.used.cpu).toBe(1_000);
  });

  it("keep for a daemon to come what its newest pod takes, and for each daemon its own", () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "1" }), daemonSetNamed("proxy", { cpu: "2" })];
    const of = (name: string, daemon: string, node: string, cpu: string, createdAt: string) =>
      runningPod(name, node, {
        ...{ cpu, owner: { kind: "DaemonSet", uid: daemon } },
        metadata: { creationTimestamp: createdAt },
      });
    const pods = [
      of("agent-old", "agent", "other", "3", "2026-01-01T00:00:00Z"),
      of("agent-new", "agent", "other", "500m", "2026-01-02T00:00:00Z"),
      of("stray-1", "stray", "n", "4", "2026-01-01T00:00:00Z"),
    ];
    const nodes = nodesOf({ nodes: [plainNode("n"), plainNode("other")], daemonSets, pods });
    expect(nodes.find(({ name }) => name === "n")?.used.cpu).toBe(4_000 + 500 + 2_000);
  });
});
