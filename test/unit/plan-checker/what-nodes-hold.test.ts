import { describe, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { annotation, label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { daemonSetNamed, type PodInput } from "../../support/cluster-objects.ts";
import { expectFault, expectHolds } from "../../support/hand-made-plans.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { inFlightClaim, plainNode } from "../../support/nodes.ts";
import { pendingPod, pendingPods, runningPod, zoneSpread } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";

const gib = 2 ** 30;
const ended = ["Succeeded", "Failed"];
const inPhase = (pod: Pod, phase: string): Pod => ({ ...pod, status: { ...pod.status, phase } });

describe("of pods that have ended, the checker of plans knows", () => {
  it("that they hold no room", () => {
    const world = (phase: string) => ({
      pods: [inPhase(runningPod("done", "n", { cpu: "3" }), phase), pendingPod("p", { cpu: "4" })],
      nodes: [plainNode("n")],
    });
    const plan = { existing: { n: ["p"] } };
    for (const phase of ended) expectHolds(world(phase), plan);
    expectFault(world("Running"), plan, "n: cpu of all pods is 7000, allocatable 4000");
  });

  it("that they want no answer, whether their node leaves or they never had one", () => {
    const leaving = plainNode("n", { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] });
    const bound = (phase: string) => ({ pods: [inPhase(runningPod("p", "n"), phase)], nodes: [leaving] });
    const unbound = (phase: string) => ({ pods: [inPhase(pendingPod("p"), phase)] });
    const answering = { claims: [{ pods: ["p"] }] };
    for (const phase of ended) {
      expectHolds(bound(phase), {});
      expectFault(bound(phase), answering, "default/p wants no answer");
      expectHolds(unbound(phase), {});
      expectFault(unbound(phase), answering, "default/p wants no answer");
    }
    expectHolds(bound("Running"), answering);
    expectFault(bound("Running"), {}, "default/p is not answered");
    expectFault(unbound("Pending"), {}, "default/p is not answered");
  });

  it("that their successor may have their place on a NodeClaim", () => {
    const owner = { kind: "ReplicaSet", uid: "rs" };
    const successor = pendingPod("q", { owner });
    const [{ classKey = "" } = {}] = snapshotWith({ pods: [successor] }).pods;
    const nominations = JSON.stringify([{ uid: "p", owner: "rs", class: classKey }]);
    const claim = inFlightClaim("c", { claimAnnotations: { [annotation.nominatedPods]: nominations } });
    const world = (phase: string) => ({
      pods: [inPhase(pendingPod("p", { owner }), phase), successor],
      nodeClaims: [claim],
    });
    for (const phase of ended) expectHolds(world(phase), {});
    expectFault(world("Pending"), {}, "default/q is not answered");
    expectHolds(world("Pending"), { claims: [{ pods: ["q"] }] });
  });

  it("on which of two NodeClaims a displaced pod's place is: the younger", () => {
    const nominations = JSON.stringify([{ uid: "p", owner: "", class: "" }]);
    const claim = (name: string, creationTimestamp: string) => {
      const made = inFlightClaim(name, { claimAnnotations: { [annotation.nominatedPods]: nominations } });
      return { ...made, metadata: { ...made.metadata, creationTimestamp } };
    };
    const world = {
      pods: [runningPod("p", "n", { cpu: "3" }), pendingPod("q", { cpu: "3" })],
      nodes: [plainNode("n", { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] })],
      nodeClaims: [claim("older", "2026-01-01T00:00:00Z"), claim("younger", "2026-01-01T01:00:00Z")],
    };
    expectHolds(world, { existing: { older: ["q"] } });
    expectFault(world, { existing: { younger: ["q"] } }, "younger: cpu of all pods is 6000, allocatable 4000");
  });
});

describe("of what a new node has, the checker of plans knows", () => {
  const images = nodeClass(
    {},
    {
      amis: [
        { id: "ami-arm", requirements: [{ key: label.arch, operator: "In", values: ["arm64"] }] },
        { id: "ami-amd", requirements: [{ key: label.arch, operator: "In", values: ["amd64"] }] },
        { id: "ami-next", requirements: [] },
      ],
    },
  );
  const offering = (memory: number) => ({
    claims: [{ pods: ["p"], changes: { allocatable: { cpu: 4_000, memory, pods: 1 } } }],
  });
  const reported = { instanceType: "m5.xlarge", imageId: "ami-amd", capacityBytes: 17 * gib };

  it("the memory that was learned of its type and image, the least if there are several", () => {
    const world = (...learnedMemory: NonNullable<World["learnedMemory"]>): World => ({
      pods: [pendingPod("p")],
      nodeClasses: [images],
      learnedMemory,
    });
    expectHolds(world(), offering(16 * gib));
    expectFault(world(), offering(16 * gib + 1), "allocatable memory is 17179869185, m5.xlarge has 17179869184");
    expectHolds(world(reported), offering(17 * gib));
    expectFault(world(reported), offering(17 * gib + 1), "m5.xlarge has 18253611008");
    const less = { ...reported, capacityBytes: 15 * gib };
    expectFault(world(reported, less), offering(15 * gib + 1), "m5.xlarge has 16106127360");
    for (const other of [{ imageId: "ami-arm" }, { imageId: "ami-next" }, { instanceType: "m5.large" }])
      expectFault(world({ ...reported, ...other }), offering(17 * gib), "m5.xlarge has 17179869184");
  });

  const device = "example.com/device";
  const wanting = [pendingPod("p", { spec: { containers: [{ resources: { requests: { [device]: "2" } } }] } })];
  const having = (amount: number) => ({
    claims: [{ pods: ["p"], changes: { allocatable: { pods: 1, [device]: amount } } }],
  });
  const devices = (name: string, amount: string, spec: Parameters<typeof nodeOverlay>[1] = {}) =>
    nodeOverlay(name, { capacity: { [device]: amount }, ...spec });

  it("the devices that a NodeOverlay gives its type, in whatever zone it is bought", () => {
    const world = (...requirements: ReturnType<typeof oneOf>[]) => ({
      pods: wanting,
      pools: [nodePool("default", { labels: { team: "x" } })],
      nodeOverlays: [devices("devices", "2", { requirements })],
    });
    const plan = {
      claims: having(2).claims.map((claim) => ({
        ...claim,
        changes: {
          ...claim.changes,
          labels: { [label.nodePool]: "default", [label.nodeClass]: "default", team: "x" },
        },
      })),
    };
    expectHolds(world(), plan);
    expectHolds(world(oneOf(label.instanceType, "m5.xlarge"), oneOf(label.zone, "b")), plan);
    expectHolds(world(oneOf(label.nodePool, "default"), oneOf("team", "x")), plan);
    const fault = `allocatable ${device} is 2, m5.xlarge has 0`;
    expectFault(world(oneOf(label.instanceType, "m5.large")), plan, fault);
    expectFault(world(oneOf(label.zone, "d")), plan, fault);
    expectFault(world(oneOf(label.capacityType, "spot")), plan, fault);
    expectFault(world(oneOf(label.nodePool, "other")), plan, fault);
    expectFault(world(oneOf("team", "y")), plan, fault);
    expectFault(world(oneOf("unheard-of", "y")), plan, fault);
  });

  it("which of several NodeOverlays has its way", () => {
    const world = (...nodeOverlays: NonNullable<World["nodeOverlays"]>) => ({ pods: wanting, nodeOverlays });
    const light = devices("light", "3", { weight: 1 });
    const heavy = devices("heavy", "2", { weight: 2 });
    expectHolds(world(light, heavy), having(2));
    expectFault(world(light, heavy), having(3), `allocatable ${device} is 3, m5.xlarge has 2`);
    const faulty = nodeOverlay("faulty", { weight: 3, capacity: { [device]: "9", cpu: "9" } });
    expectFault(world(faulty, heavy), having(3), `allocatable ${device} is 3, m5.xlarge has 2`);
    // The last name goes first; whether another of its weight is for nothing is not looked into.
    expectFault(world(devices("b", "2"), devices("a", "1")), having(3), `allocatable ${device} is 3, m5.xlarge has 2`);
  });

  it("that a NodeOverlay may share out the devices of a type, and that they count for limits so", () => {
    const gpu = "nvidia.com/gpu";
    const world = (limit: string, amount?: string): World => ({
      pods: [pendingPod("p", { spec: { containers: [{ resources: { requests: { [gpu]: "2" } } }] } })],
      catalog: catalogOf({ "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2, gpus: 1 } }),
      pools: [nodePool("default", { limits: { [gpu]: limit } })],
      nodeOverlays: amount === undefined ? [] : [nodeOverlay("shared", { capacity: { [gpu]: amount } })],
    });
    const plan = { claims: [{ pods: ["p"], changes: { allocatable: { pods: 1, [gpu]: 2 } } }] };
    expectHolds(world("2", "2"), plan);
    expectFault(world("2"), plan, `allocatable ${gpu} is 2, m5.xlarge has 1`);
    expectFault(world("1", "2"), plan, `NodePool default: ${gpu} would be 2, its limit is 1`);
  });
});

describe("of DaemonSets, the checker of plans knows", () => {
  const daemon = (name: string, cpu: string, createdAt: string, input: PodInput = {}) =>
    runningPod(name, "old", {
      cpu,
      owner: { kind: "DaemonSet", uid: "agent" },
      metadata: { creationTimestamp: createdAt },
      ...input,
    });
  const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  const world = (template: PodInput, ...live: readonly Pod[]) => ({
    daemonSets: [daemonSetNamed("agent", { cpu: "1500m", ...template })],
    nodes: [plainNode("old", { cpu: "8" })],
    pods: [pendingPod("p", { cpu: "3" }), ...live],
  });
  const plan = { claims: [{ pods: ["p"] }] };

  it("that a pod takes what the newest living one takes, not what the template says", () => {
    expectFault(world({}), plan, "cpu of all pods is 4500");
    expectHolds(world({}, daemon("a", "1", early)), plan);
    expectHolds(world({}, daemon("a", "2", early), daemon("b", "1", late)), plan);
    expectFault(world({}, daemon("a", "1", early), daemon("b", "2", late)), plan, "cpu of all pods is 5000");
    expectFault(world({ cpu: "500m" }, daemon("a", "2", early)), plan, "cpu of all pods is 5000");
    expectFault(world({}, inPhase(daemon("a", "1", early), "Failed")), plan, "cpu of all pods is 4500");
    const going = { metadata: { creationTimestamp: late, deletionTimestamp: late } };
    const deleted = runningPod("b", "old", { cpu: "2", owner: { kind: "DaemonSet", uid: "agent" }, ...going });
    expectHolds(world({}, daemon("a", "1", early), deleted), plan);
  });

  it("that the template decides where pods come, not a living one that is pinned to its node", () => {
    const pinned = { spec: { nodeSelector: { [label.hostname]: "old" } } };
    const big = { spec: { containers: [{ resources: { requests: { cpu: "2" } } }], ...pinned.spec } };
    expectFault(world({}, daemon("a", "2", early, big)), plan, "cpu of all pods is 5000");
    expectHolds(world({ spec: { nodeSelector: { [label.arch]: "arm64" } } }, daemon("a", "2", early)), plan);
  });
});

describe("of topology, the checker of plans knows", () => {
  it("that an empty label is no domain", () => {
    const world = (zone: string) => ({
      pods: pendingPods(3, "web", { spec: zoneSpread("web") }),
      nodes: [plainNode("n", { zone })],
    });
    const inZones = (...zones: readonly string[]) => ({
      claims: zones.map((zone, index) => ({ pods: [`web-${index}`], zone })),
    });
    expectHolds(world(""), inZones("a", "b", "a"));
    expectFault(world("c"), inZones("a", "b", "a"), "a has 1, the emptiest 0, maxSkew 1");
    const withEmpty = { ...world(""), nodes: [plainNode("n", { zone: "" }), plainNode("m", { zone: "c", cpu: "0" })] };
    expectFault(withEmpty, inZones("a", "b", "a"), "a has 1, the emptiest 0, maxSkew 1");
    expectHolds(world("c"), { ...inZones("a", "b"), existing: { n: ["web-2"] } });
    expectFault(world(""), { ...inZones("a", "b"), existing: { n: ["web-2"] } }, "spread: no label");
  });
});
