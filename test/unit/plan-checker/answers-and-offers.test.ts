import { describe, it } from "vitest";
import { annotation, label } from "../../../shared/api/labels.ts";
import { expectFault, expectHolds } from "../../support/hand-made-plans.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { claimedNode, inFlightClaim, plainNode } from "../../support/nodes.ts";
import { pendingPod, pendingPods, runningPod } from "../../support/pods.ts";
import { volumeObjects } from "../../support/random-worlds/volumes.ts";

const pods = [pendingPod("p")];
const onPlan = { claims: [{ pods: ["p"] }] };

describe("of answers, the checker of plans finds", () => {
  it("a pod that is placed twice", () => {
    const nodes = [plainNode("n")];
    expectHolds({ pods, nodes }, { existing: { n: ["p"] } });
    expectFault({ pods, nodes }, { ...onPlan, existing: { n: ["p"] } }, "default/p is answered more than once");
  });

  it("a pod that is forgotten", () => {
    expectFault({ pods: [...pods, pendingPod("q")] }, onPlan, "default/q is not answered");
  });

  it("a pod that has its place on a claim and is planned again", () => {
    const nominations = JSON.stringify([{ uid: "p", owner: "", class: "" }]);
    const claim = inFlightClaim("c", { claimAnnotations: { [annotation.nominatedPods]: nominations } });
    expectHolds({ pods, nodeClaims: [claim] }, {});
    expectFault({ pods, nodeClaims: [claim] }, onPlan, "default/p has a place on a NodeClaim and is planned again");
  });

  it("places on a claim that others have", () => {
    const nominations = JSON.stringify([{ uid: "p", owner: "", class: "" }]);
    const claim = inFlightClaim("c", { claimAnnotations: { [annotation.nominatedPods]: nominations } });
    const world = (cpu: string) => ({
      pods: [pendingPod("p", { cpu: "2" }), pendingPod("q", { cpu })],
      nodeClaims: [claim],
    });
    expectHolds(world("2"), { existing: { c: ["q"] } });
    expectFault(world("2500m"), { existing: { c: ["q"] } }, "c: cpu of all pods is 4500");
  });

  it("a pod that runs and wants no answer", () => {
    const world = { pods: [runningPod("p", "n")], nodes: [plainNode("n")] };
    expectFault(world, onPlan, "default/p wants no answer");
  });

  it("a pod on a node that is leaving, cordoned or not there", () => {
    const plan = { existing: { n: ["p"] } };
    const replace = { [annotation.replace]: "{}" };
    const cordoned = { ...plainNode("n"), spec: { unschedulable: true } };
    expectFault({ pods, nodes: [plainNode("n", { annotations: replace })] }, plan, "node n is leaving");
    expectFault({ pods, nodes: [cordoned] }, plan, "does not tolerate the taint node.kubernetes.io/unschedulable");
    const tolerant = [pendingPod("p", { spec: { tolerations: [{ operator: "Exists" }] } })];
    expectHolds({ pods: tolerant, nodes: [cordoned] }, plan);
    expectFault({ pods }, plan, "node n does not exist");
  });

  it("a refusal without a reason", () => {
    const refused = { unschedulable: ["p"] };
    expectHolds({ pods }, refused);
    expectFault({ pods }, { ...refused, reasons: [] }, "default/p is unschedulable without a reason");
    const reasons = [{ nodePool: "default", reason: " " }];
    expectFault({ pods }, { ...refused, reasons }, "default/p is unschedulable without a reason");
  });

  it("two claims of one name, and a name that is taken", () => {
    const two = { pods: pendingPods(2, "p") };
    const same = { name: "default-x" };
    const claims = [
      { pods: ["p-0"], changes: same },
      { pods: ["p-1"], changes: same },
    ];
    expectFault(two, { claims }, "two NodeClaims are called default-x");
    expectFault({ pods, nodeClaims: [inFlightClaim("default-0")] }, onPlan, "there is a NodeClaim default-0 already");
  });
});

describe("of what is bought, the checker of plans finds", () => {
  const buying = (offering: object, changes: object = {}) => ({ claims: [{ pods: ["p"], offering, changes }] });

  it("an offering that is not sold in its zone", () => {
    expectFault({ pods }, buying({ zone: "d" }), "m5.xlarge/d/on-demand is not sold in that zone");
    expectFault({ pods }, buying({ capacityType: "spot" }), "m5.xlarge/a/spot is not sold as spot");
    expectFault({ pods }, buying({ instanceType: "m9.huge" }), "the catalog has no such instance type");
  });

  it("an offering that is marked unavailable", () => {
    const mark = (untilAt: number) => ({
      instanceType: "*",
      zone: "a",
      capacityType: "*",
      untilAt,
      times: 1,
      code: "",
    });
    expectHolds({ pods, now: 5, unavailable: [mark(5)] }, onPlan);
    expectFault({ pods, now: 5, unavailable: [mark(6)] }, onPlan, "m5.xlarge/a/on-demand is marked unavailable");
  });

  it("a wrong price", () => {
    expectFault({ pods }, buying({ priceUsdPerHour: 0.19 }), "the price is 0.19, the catalog says 0.2");
    expectFault({ pods }, { ...onPlan, changes: { priceUsdPerHour: 0.1 } }, "the plan's price is 0.1");
  });

  it("a bound above the price", () => {
    expectHolds({ pods }, { ...onPlan, changes: { lowerBoundUsdPerHour: 0.2 } });
    expectFault({ pods }, { ...onPlan, changes: { lowerBoundUsdPerHour: 0.21 } }, "the lower bound is 0.21");
  });

  it("more room than the instance has", () => {
    const allocatable = { cpu: 4_001, memory: 1, pods: 1, "nvidia.com/gpu": 1 };
    expectFault({ pods }, buying({}, { allocatable }), "allocatable cpu is 4001, m5.xlarge has 4000");
    expectFault({ pods }, buying({}, { allocatable }), "allocatable nvidia.com/gpu is 1, m5.xlarge has 0");
  });

  it("what the NodePool or the claim itself does not admit", () => {
    const pools = [nodePool("default", { requirements: [oneOf(label.zone, "b", "c")] })];
    expectHolds({ pods, pools }, buying({ zone: "b" }));
    expectFault({ pods, pools }, onPlan, "NodePool default asks for topology.kubernetes.io/zone In b,c");
    const requirements = new Map();
    expectHolds({ pods }, buying({ zone: "b" }, { requirements }));
    const claims = [{ pods: ["p"], zone: "a", changes: { offerings: [offer("b")] as const } }];
    expectFault({ pods }, { claims }, "its requirement on topology.kubernetes.io/zone does not admit b");
  });

  it("labels and taints of the NodePool's template that are missing", () => {
    const taints = [{ key: "gpu", effect: "NoSchedule" } as const];
    const pools = [nodePool("default", { labels: { team: "x" }, taints })];
    const tolerant = [pendingPod("p", { spec: { tolerations: [{ operator: "Exists" }] } })];
    expectFault({ pods: tolerant, pools }, onPlan, "the template's label team=x is missing");
    expectFault({ pods: tolerant, pools }, onPlan, "its taints are not the template's");
  });

  it("NodePools that may not be used", () => {
    expectFault({ pods, pools: [nodePool("default", { replicas: 1 })] }, onPlan, "NodePool default is static");
    const deletedAt = "2026-01-01T00:00:00Z";
    expectFault({ pods, pools: [nodePool("default", { deletedAt })] }, onPlan, "NodePool default is being deleted");
    expectFault({ pods, pools: [nodePool("other")] }, onPlan, "there is no NodePool default");
    const conditions = [{ type: "Ready", status: "False" as const }];
    expectFault({ pods, pools: [{ ...nodePool(), status: { conditions } }] }, onPlan, "NodePool default is not ready");
  });

  it("a limit of CPU that is exceeded", () => {
    const pools = (cpu: string) => [nodePool("default", { limits: { cpu } })];
    const { node, claim } = claimedNode("n");
    expectHolds({ pods, pools: pools("8"), nodes: [node], nodeClaims: [claim] }, onPlan);
    expectFault(
      { pods, pools: pools("7"), nodes: [node], nodeClaims: [claim] },
      onPlan,
      "NodePool default: cpu would be 8000, its limit is 7000",
    );
  });

  it("a limit of nodes that is exceeded", () => {
    const two = pendingPods(2, "p");
    const plan = { claims: [{ pods: ["p-0"] }, { pods: ["p-1"] }] };
    expectHolds({ pods: two, pools: [nodePool("default", { limits: { nodes: "2" } })] }, plan);
    expectFault(
      { pods: two, pools: [nodePool("default", { limits: { nodes: "1" } })] },
      plan,
      "nodes would be 2, its limit is 1",
    );
  });

  it("fewer types than minValues asks for", () => {
    const requirements = [{ ...oneOf(label.instanceType, "m5.large", "m5.xlarge"), minValues: 2 }];
    const pools = [nodePool("default", { requirements })];
    expectFault({ pods, pools }, onPlan, "1 values of node.kubernetes.io/instance-type, minValues is 2");
    const bestEffort = { pods, pools, settings: { minValuesPolicy: "BestEffort" } as const };
    expectHolds(bestEffort, buying({}, { minValuesRelaxed: true }));
    expectFault(bestEffort, onPlan, "minValues is 2");
  });
});

describe("of volumes, the checker of plans finds", () => {
  const using = (name: string, claimName: string) =>
    pendingPod(name, { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] } });

  it("a node in another zone than the volume's", () => {
    const world = { pods: [using("p", "data-b")], ...volumeObjects([], 1) };
    expectHolds(world, { claims: [{ pods: ["p"], zone: "b" }] });
    expectFault(world, onPlan, "volume claim default/data-b: default-b is not reached from it");
  });

  it("a zone where the storage class makes no volumes, and one volume in two zones", () => {
    const world = {
      pods: [using("p", "waiting-b"), using("q", "waiting"), using("r", "waiting")],
      ...volumeObjects([], 1),
    };
    const inZones = (...zones: readonly string[]) => ({
      claims: zones.map((zone, index) => ({ pods: [["p", "q", "r"][index] ?? ""], zone })),
    });
    expectHolds(world, inZones("b", "c", "c"));
    expectFault(world, inZones("a", "c", "c"), "storage class waiting-b makes no volumes there");
    expectFault(world, inZones("b", "b", "c"), "volume claim default/waiting: its pods lie in the zones b, c");
  });

  it("more volumes than a node can attach", () => {
    const world = (attachable: number) => ({
      pods: [using("p", "data-a"), using("q", "waiting")],
      nodes: [plainNode("n")],
      ...volumeObjects(["n"], attachable),
    });
    expectHolds(world(2), { existing: { n: ["p", "q"] } });
    expectFault(world(1), { existing: { n: ["p", "q"] } }, "n: 2 volumes of ebs.csi.aws.com, at most 1");
  });
});

function offer(zone: string) {
  return { instanceType: "m5.xlarge", zone, capacityType: "on-demand", priceUsdPerHour: 0.2 } as const;
}
