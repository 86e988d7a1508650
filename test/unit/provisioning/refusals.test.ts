import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { nearestRefusal } from "../../../shared/provisioning/nearest-refusal.ts";
import type { Refusal } from "../../../shared/provisioning/plan.ts";
import { catalogOf } from "../../support/catalog.ts";
import { daemonSetNamed, nodeNamed } from "../../support/cluster-objects.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import {
  awayFrom,
  near,
  nodeTerms,
  pendingPod,
  pendingPods,
  runningPod,
  spread,
  zoneSpread,
} from "../../support/pods.ts";
import { planFor, type World } from "../../support/snapshot.ts";

const zone = "topology.kubernetes.io/zone";

/** The first refusal of the last pod that has no place. */
function refusalOf(world: World): Refusal | undefined {
  return planFor(world).unschedulable.at(-1)?.reasons[0];
}

function refusalOfPod(pod: Pod, world: Omit<World, "pods"> = {}): Refusal | undefined {
  return refusalOf({ ...world, pods: [pod] });
}

function node(name: string, inZone: string) {
  return nodeNamed(name, { labels: { [zone]: inZone }, cpu: "1" });
}

describe("a refusal states what fails, what was found and what would be accepted:", () => {
  it("a taint and the toleration it asks for", () => {
    const taints = [{ key: "team", value: "ml", effect: "NoSchedule" }] as const;
    const tolerations = [{ key: "gpu", operator: "Exists" }] as const;
    expect(
      refusalOfPod(pendingPod("p", { spec: { tolerations: [...tolerations] } }), {
        pools: [nodePool("a", { taints })],
      }),
    ).toMatchObject({
      nodePool: "a",
      key: "taint",
      found: "tolerations gpu Exists:any effect",
      accepted: "a toleration of team=ml:NoSchedule",
    });
  });

  it("the first of several things, in a fixed order", () => {
    const taints = [{ key: "team", effect: "NoSchedule" }] as const;
    const pod = pendingPod("p", { cpu: "500", spec: { nodeSelector: { disk: "ssd" } } });
    expect(refusalOfPod(pod, { pools: [nodePool("a", { taints })] })?.key).toBe("taint");
    expect(refusalOfPod(pod)?.key).toBe("disk");
  });

  it("a label that nobody defines, with the one that was probably meant", () => {
    const refusal = refusalOfPod(pendingPod("p", { spec: { nodeSelector: { "eks.amazonaws.com/nodegroup": "x" } } }));
    expect(refusal).toMatchObject({ key: "eks.amazonaws.com/nodegroup", found: "In [x]" });
    expect(refusal?.accepted).toContain("a template label or a requirement of the NodePool");
    expect(refusalOfPod(pendingPod("p", { spec: { nodeSelector: { zone: "a" } } }))?.accepted).toContain(
      "topology.kubernetes.io/zone, if that is meant",
    );
  });

  it("a label value that the NodePool rules out, or that no node has", () => {
    const pools = [nodePool("a", { requirements: [oneOf(zone, "a", "b")] })];
    const wanted = { nodeSelector: { [zone]: "c" } };
    expect(refusalOfPod(pendingPod("p", { spec: wanted }), { pools })).toMatchObject({
      key: zone,
      found: "In [c]",
      accepted: "In [a, b]",
    });
    expect(refusalOfPod(pendingPod("p", { spec: { nodeSelector: { [zone]: "x" } } }))).toMatchObject({
      key: zone,
      found: "In [x]",
      accepted: "In [a, b, c]",
    });
  });

  it("requirements that no type meets together, with the type that meets all but one", () => {
    const both = nodeTerms([
      ["kubernetes.io/arch", "In", "arm64"],
      ["node.kubernetes.io/instance-type", "In", "m5.large"],
    ]);
    const refusal = refusalOfPod(pendingPod("p", { spec: both }));
    expect(refusal?.key).toMatch(/arch|instance-type/);
    expect(refusal?.nearestType).toMatch(/^m5\.large, lacks kubernetes\.io\/arch|^m6g\.xlarge, lacks node\./);
  });

  it("an affinity of nothing but empty terms", () => {
    expect(refusalOfPod(pendingPod("p", { spec: nodeTerms([]) }))).toMatchObject({
      key: "nodeSelectorTerms",
      reason: expect.stringContaining("an empty term matches no node"),
    });
  });

  it("a selector and an affinity that contradict each other", () => {
    const spec = { ...nodeTerms([[zone, "In", "a"]]), nodeSelector: { [zone]: "b" } };
    expect(refusalOfPod(pendingPod("p", { spec }))).toMatchObject({
      key: zone,
      reason: expect.stringContaining("contradict each other"),
    });
  });

  it("a node asked for by its name", () => {
    const spec = { nodeSelector: { "kubernetes.io/hostname": "n1" } };
    expect(refusalOfPod(pendingPod("p", { spec }))?.reason).toContain("the name of a new node is not known");
  });

  it("a request beyond every type, with the largest amount and the type that comes nearest", () => {
    expect(refusalOfPod(pendingPod("p", { cpu: "17", memory: "4Gi" }))).toMatchObject({
      key: "cpu",
      found: "17",
      accepted: "at most 16",
      nearestType: "m5.4xlarge, lacks cpu 17 (has 16)",
    });
    expect(refusalOfPod(pendingPod("p", { memory: "65Gi" }))?.nearestType).toBe(
      "m5.4xlarge, lacks memory 65Gi (has 64Gi)",
    );
  });

  it("a request beyond all reason in figures that can be read", () => {
    expect(refusalOfPod(pendingPod("p", { cpu: "9E" }))?.found).toBe("over 9000000000000");
    expect(refusalOfPod(pendingPod("p", { memory: "9E" }))?.found).toBe("over 4Pi");
  });

  it("DaemonSets that leave no room on any node, by the name of the largest", () => {
    const daemonSets = [daemonSetNamed("small", { cpu: "1" }), daemonSetNamed("huge", { cpu: "20" })];
    const refusal = refusalOfPod(pendingPod("p", { cpu: "1" }), { daemonSets });
    expect(refusal).toMatchObject({ key: "cpu", nearestType: "m5.4xlarge, has cpu 16" });
    expect(refusal?.reason).toContain("they ask for cpu 21, most of it DaemonSet default/huge, and m5.4xlarge has 16");
  });

  it("a host port by the DaemonSet that takes it", () => {
    const ports = (containerPort: number) => ({ containers: [{ ports: [{ containerPort, hostPort: 8080 }] }] });
    const daemonSets = [daemonSetNamed("agent", { spec: ports(9) })];
    expect(refusalOfPod(pendingPod("p", { spec: ports(80) }), { daemonSets })).toMatchObject({
      key: "hostPort",
      reason: "host port 8080 is always taken by DaemonSet default/agent",
      found: "8080/TCP",
    });
  });

  it("a limit with what is used, and what the smallest node that would do needs", () => {
    const pods = pendingPods(3, "web", { cpu: "3" });
    expect(refusalOf({ pods, pools: [nodePool("a", { limits: { cpu: "9" } })] })).toMatchObject({
      nodePool: "a",
      key: "limits.cpu",
      found: "9 (0 in use, 8 in this plan)",
      accepted: "12 or more, for one m5.xlarge",
    });
  });

  it("a NodePool that launches nothing, by its own requirement that no type meets", () => {
    const type = (name: string) => [nodePool("a", { requirements: [oneOf("node.kubernetes.io/instance-type", name)] })];
    expect(refusalOfPod(pendingPod("p"), { pools: type("m5.larg") })).toMatchObject({
      key: "node.kubernetes.io/instance-type",
      found: "In [m5.larg]",
      reason: expect.stringContaining("did you mean m5.large?"),
    });
    const spot = [nodePool("a", { requirements: [oneOf("karpenter.sh/capacity-type", "spot")] })];
    expect(refusalOfPod(pendingPod("p"), { pools: spot, catalog: catalogOf() })).toMatchObject({
      key: "karpenter.sh/capacity-type",
      accepted: "In [on-demand]",
    });
  });

  it("a class that does not exist, with those that do", () => {
    expect(refusalOfPod(pendingPod("p"), { pools: [nodePool("a", { nodeClass: "defualt" })] })).toMatchObject({
      key: "nodeClassRef",
      found: "defualt",
      accepted: "one of default",
    });
  });

  it("zones that are all taken by pods that must be apart", () => {
    const pods = pendingPods(4, "db", { spec: awayFrom("db", zone) });
    expect(refusalOf({ pods })).toMatchObject({
      key: zone,
      found: "matching pods: a 1, b 1, c 1",
      accepted: "a domain without a matching pod",
    });
  });

  it("pods of others that want no such pod beside them", () => {
    const nodes = ["a", "b", "c"].map((name) => node(`n-${name}`, name));
    const guards = nodes.map(({ metadata }) =>
      runningPod(`g-${metadata.name}`, metadata.name, { spec: awayFrom("web", zone) }),
    );
    expect(refusalOf({ nodes, pods: [...guards, pendingPod("web", { app: "web" })] })).toMatchObject({
      key: zone,
      reason: expect.stringContaining("another pod's pod anti-affinity"),
      found: "pods that keep it away: a 1, b 1, c 1",
    });
  });

  it("a spread that would get too uneven, with the zones out of reach", () => {
    const nodes = [node("n-a", "a"), node("n-b", "b")];
    const web = { app: "web", cpu: "500m" };
    const running = [runningPod("w-1", "n-a", web), runningPod("w-2", "n-b", web)];
    const policy = { nodeAffinityPolicy: "Ignore" } as const;
    const spec = { ...zoneSpread("web", policy), nodeSelector: { [zone]: "a" } };
    expect(refusalOf({ nodes, pods: [...running, pendingPod("web", { app: "web", spec })] })).toMatchObject({
      key: zone,
      found: "matching pods: a 1; out of its reach: b 1, c 0",
      accepted: "at most 1 in a domain with it: the fewest, 0, and maxSkew 1",
    });
  });

  it("a topology key that no node has", () => {
    const refusal = refusalOfPod(pendingPod("web", { app: "web", spec: spread("example.com/rack", "web") }));
    expect(refusal).toMatchObject({ key: "example.com/rack", found: "no node with a value" });
  });

  it.each([
    ["kubernetes.io/hostname", "kubernetes.io/hostname"],
    ["zones", zone],
  ])("affinity and anti-affinity to one's own kind over %s, that only one can ever run", (_, key) => {
    const affinity = { ...near("web", key).affinity, ...awayFrom("web", key).affinity };
    const refusal = refusalOf({ pods: pendingPods(2, "web", { spec: { affinity } }) });
    expect(refusal).toMatchObject({ key, reason: expect.stringContaining("only one such pod can ever run") });
  });

  it("for each NodePool its own, where several are tried together", () => {
    const pools = [nodePool("a", { limits: { cpu: "3" } }), nodePool("b", { limits: { memory: "2Gi" } })];
    const { unschedulable } = planFor({ pods: [pendingPod("p", { cpu: "3" })], pools });
    expect(unschedulable[0]?.reasons.map(({ nodePool: name, key }) => `${name} ${key}`)).toEqual([
      "a limits.cpu",
      "b limits.memory",
    ]);
  });
});

describe("the nearest refusal", () => {
  it("is that of the NodePool in which the pod gets furthest", () => {
    const pod = pendingPod("p", { cpu: "20", spec: { nodeSelector: { [zone]: "a" } } });
    const pools = [
      nodePool("deleted", { deletedAt: "2026-01-01T00:00:00Z" }),
      nodePool("elsewhere", { requirements: [oneOf(zone, "b")] }),
      nodePool("small"),
      nodePool("tainted", { taints: [{ key: "team", effect: "NoSchedule" }] }),
    ];
    const [refused] = planFor({ pods: [pod], pools }).unschedulable;
    expect(refused?.reasons.map(({ key }) => key)).toEqual(["deletionTimestamp", zone, "cpu", "taint"]);
    expect(refused && nearestRefusal(refused.reasons, refused.pod.constraints)?.nodePool).toBe("small");
  });
});
