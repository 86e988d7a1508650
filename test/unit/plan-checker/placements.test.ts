import { describe, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { expectFault, expectHolds } from "../../support/hand-made-plans.ts";
import { nodePool } from "../../support/node-pools.ts";
import { plainNode } from "../../support/nodes.ts";
import {
  awayFrom,
  hostnameSpread,
  near,
  nodeTerms,
  pendingPod,
  pendingPods,
  runningPod,
  zoneSpread,
} from "../../support/pods.ts";

const dedicated = { key: "dedicated", value: "batch", effect: "NoSchedule" } as const;
const onePod = (spec: Parameters<typeof pendingPod>[1]) => ({ pods: [pendingPod("p", spec)] });

describe("the checker of plans finds", () => {
  it("a pod on too small a node", () => {
    expectHolds(onePod({ cpu: "4" }), { claims: [{ pods: ["p"] }] });
    expectFault(onePod({ cpu: "4001m" }), { claims: [{ pods: ["p"] }] }, "cpu of all pods is 4001, allocatable 4000");
  });

  it("pods that do not fit together", () => {
    const pods = pendingPods(3, "web", { cpu: "1500m" });
    expectFault({ pods }, { claims: [{ pods: ["web-0", "web-1", "web-2"] }] }, "cpu of all pods is 4500");
  });

  it("a sidecar, an init container, an overhead, a device or a request of the whole pod that was forgotten", () => {
    const plan = { claims: [{ pods: ["p"] }] };
    const sidecar = { restartPolicy: "Always", resources: { requests: { cpu: "500m" } } };
    const init = (cpu: string) => ({ resources: { requests: { cpu } } });
    expectHolds(onePod({ cpu: "3500m", spec: { initContainers: [init("3501m"), sidecar, init("3500m")] } }), plan);
    expectFault(onePod({ cpu: "3501m", spec: { initContainers: [sidecar] } }), plan, "cpu of all pods is 4001");
    expectFault(
      onePod({ cpu: "1", spec: { initContainers: [sidecar, init("3501m")] } }),
      plan,
      "cpu of all pods is 4001",
    );
    expectFault(onePod({ cpu: "1", spec: { overhead: { cpu: "3500m" } } }), plan, "cpu of all pods is 4500");
    expectFault(onePod({ spec: { resources: { requests: { cpu: "5" } } } }), plan, "cpu of all pods is 5000");
    const gpu = { containers: [{ resources: { limits: { "nvidia.com/gpu": "1" } } }] };
    expectFault(onePod({ spec: gpu }), plan, "nvidia.com/gpu of all pods is 1, allocatable 0");
  });

  it("more pods than a node may run", () => {
    const few = { allocatable: { cpu: 4_000, memory: 2 ** 34, pods: 1 } };
    const pods = pendingPods(2, "web", { cpu: "1" });
    expectFault(
      { pods },
      { claims: [{ pods: ["web-0", "web-1"], changes: few }] },
      "pods of all pods is 2, allocatable 1",
    );
  });

  it("the wrong architecture", () => {
    const arm = onePod({ spec: { nodeSelector: { [label.arch]: "arm64" } } });
    const plan = (instanceType: string) => ({ claims: [{ pods: ["p"], offering: { instanceType } }] });
    expectHolds(arm, plan("m6g.xlarge"));
    expectFault(arm, plan("m5.xlarge"), "p on default-0: node selector");
  });

  it("the wrong zone", () => {
    const world = onePod({
      spec: nodeTerms(
        [[label.zone, "In", "c"]],
        [
          [label.zone, "In", "b"],
          ["team", "DoesNotExist"],
        ],
      ),
    });
    expectHolds(world, { claims: [{ pods: ["p"], zone: "b" }] });
    expectFault(world, { claims: [{ pods: ["p"], zone: "a" }] }, "node affinity");
  });

  it("a taint that is not tolerated", () => {
    const pools = [nodePool("default", { taints: [dedicated] })];
    const plan = { claims: [{ pods: ["p"], changes: { taints: [dedicated] } }] };
    const tolerations = [{ key: "dedicated", value: "batch" }];
    expectHolds({ ...onePod({ spec: { tolerations } }), pools }, plan);
    expectFault({ ...onePod({}), pools }, plan, "does not tolerate the taint dedicated=batch:NoSchedule");
  });

  it("two pods on one host port", () => {
    const onPort = (name: string, hostIP?: string, protocol = "TCP") =>
      pendingPod(name, { spec: { containers: [{ ports: [{ hostPort: 80, protocol, ...(hostIP && { hostIP }) }] }] } });
    const plan = { claims: [{ pods: ["p", "q"] }] };
    expectHolds({ pods: [onPort("p", "10.0.0.1"), onPort("q", "10.0.0.2")] }, plan);
    expectHolds({ pods: [onPort("p"), onPort("q", "10.0.0.2", "UDP")] }, plan);
    expectFault({ pods: [onPort("p"), onPort("q", "10.0.0.2")] }, plan, "host port 10.0.0.2:80/TCP");
  });

  it("DaemonSets that were forgotten", () => {
    const daemonSets = [
      daemonSetNamed("agent", { cpu: "100m" }),
      daemonSetNamed("arm", { cpu: "1", spec: { nodeSelector: { [label.arch]: "arm64" } } }),
    ];
    expectHolds({ ...onePod({ cpu: "3900m" }), daemonSets }, { claims: [{ pods: ["p"] }] });
    expectFault({ ...onePod({ cpu: "3901m" }), daemonSets }, { claims: [{ pods: ["p"] }] }, "cpu of all pods is 4001");
  });

  it("a node that is full already", () => {
    const world = (cpu: string) => ({
      pods: [pendingPod("p", { cpu: "2" }), runningPod("there", "n", { cpu })],
      nodes: [plainNode("n")],
    });
    expectHolds(world("2"), { existing: { n: ["p"] } });
    expectFault(world("2500m"), { existing: { n: ["p"] } }, "n: cpu of all pods is 4500, allocatable 4000");
  });
});

describe("of topology, the checker of plans finds", () => {
  const inZones = (...zones: readonly string[]) => ({
    claims: zones.map((zone, index) => ({ pods: [`web-${index}`], zone })),
  });

  it("a skew that is too large", () => {
    const world = {
      pods: pendingPods(3, "web", { spec: zoneSpread("web") }),
      nodes: [plainNode("n", { zone: "c", cpu: "0" })],
    };
    expectHolds(world, { ...inZones("a", "b"), unschedulable: ["web-2"] });
    expectFault(
      world,
      inZones("a", "b", "a"),
      "spread over topology.kubernetes.io/zone: a has 1, the emptiest 0, maxSkew 1",
    );
  });

  it("too many pods of one kind on one node", () => {
    const world = { pods: pendingPods(3, "web", { cpu: "1", spec: hostnameSpread("web") }) };
    expectHolds(world, { claims: [{ pods: ["web-0", "web-1"] }, { pods: ["web-2"] }] });
    const nodes = [plainNode("n", { cpu: "0" })];
    expectFault(
      { ...world, nodes },
      { claims: [{ pods: ["web-0", "web-1", "web-2"] }] },
      "default-0 has 1, the emptiest 0",
    );
  });

  it("fewer domains than minDomains", () => {
    const pods = pendingPods(3, "web", { spec: zoneSpread("web", { minDomains: 3 }) });
    expectHolds({ pods }, { ...inZones("a", "b"), unschedulable: ["web-2"] });
    expectFault({ pods }, inZones("a", "b", "b"), "b has 1, the emptiest 0");
  });

  it("matchLabelKeys that were ignored", () => {
    const spec = zoneSpread("web", { matchLabelKeys: ["revision"] });
    const pods = ["1", "2"].map((revision, index) =>
      pendingPod(`web-${index}`, { app: "web", labels: { revision }, spec }),
    );
    const nodes = [plainNode("n", { zone: "b", cpu: "0" })];
    const same = pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: "web", revision: "1" } } }));
    expectHolds({ pods, nodes }, inZones("a", "a"));
    expectFault({ pods: same, nodes }, inZones("a", "a"), "a has 1");
  });

  it("a taint policy that was ignored", () => {
    const nodes = [plainNode("n", { zone: "b", taints: [dedicated] })];
    const world = (nodeTaintsPolicy: "Honor" | "Ignore") => ({
      pods: pendingPods(2, "web", { spec: zoneSpread("web", { nodeTaintsPolicy }) }),
      nodes,
    });
    expectHolds(world("Honor"), inZones("a", "a"));
    expectFault(world("Ignore"), inZones("a", "a"), "a has 1, the emptiest 0");
  });

  it("anti-affinity to a pod that runs", () => {
    const world = (zone: string) => ({
      pods: [pendingPod("web-0", { spec: awayFrom("db", label.zone) }), runningPod("db", "n", { app: "db" })],
      nodes: [plainNode("n", { zone })],
    });
    expectHolds(world("b"), inZones("a"));
    expectFault(world("a"), inZones("a"), "anti-affinity with default/db on n");
  });

  it("anti-affinity of a pod that runs", () => {
    const world = (app: string) => ({
      pods: [pendingPod("web-0", { app }), runningPod("db", "n", { app: "db", spec: awayFrom("web", label.zone) })],
      nodes: [plainNode("n", { zone: "a" })],
    });
    expectHolds(world("api"), inZones("a"));
    expectFault(world("web"), inZones("a"), "web-0 on default-0: anti-affinity with default/db");
  });

  it("anti-affinity among the pods of one plan", () => {
    const pods = pendingPods(2, "web", { spec: awayFrom("web") });
    expectHolds({ pods }, inZones("a", "a"));
    expectFault({ pods }, { claims: [{ pods: ["web-0", "web-1"] }] }, "anti-affinity with default/web-1");
  });

  it("affinity to pods that are elsewhere, and a second pod that takes itself for the first of its kind", () => {
    const db = runningPod("db", "n", { app: "db" });
    const nodes = [plainNode("n", { zone: "b" })];
    const world = { pods: [pendingPod("web-0", { spec: near("db", label.zone) }), db], nodes };
    expectHolds(world, inZones("b"));
    expectFault(world, inZones("a"), "affinity on topology.kubernetes.io/zone");
    const pods = pendingPods(2, "web", { spec: near("web", label.zone) });
    expectHolds({ pods }, inZones("c", "c"));
    expectFault({ pods }, inZones("c", "b"), "affinity on topology.kubernetes.io/zone");
  });

  it("affinity to pods that are in another namespace than the one asked for", () => {
    const world = (changes: Parameters<typeof near>[2]) => ({
      pods: [
        pendingPod("web-0", { spec: near("db", label.zone, changes) }),
        runningPod("db", "n", { app: "db", namespace: "data" }),
      ],
      nodes: [plainNode("n", { zone: "a" })],
      namespaces: { default: {}, data: { trust: "high" } },
    });
    expectHolds(world({ namespaces: ["data"] }), inZones("a"));
    expectHolds(world({ namespaceSelector: { matchLabels: { trust: "high" } } }), inZones("a"));
    expectFault(world({}), inZones("a"), "affinity on");
    expectFault(world({ namespaceSelector: { matchLabels: { trust: "low" } } }), inZones("a"), "affinity on");
  });
});
