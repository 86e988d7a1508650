import { describe, expect, it } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { claimedNode, plainNode } from "../../support/nodes.ts";
import { expectAllPlaced, expectNodes, expectSpread, expectUnschedulable } from "../../support/plans.ts";
import {
  awayFrom,
  hostnameSpread,
  near,
  nodeTerms,
  pendingPod,
  pendingPods,
  runningPod,
  spread,
  zoneSpread,
} from "../../support/pods.ts";
import { planFor } from "../../support/snapshot.ts";

const { zone, zoneId } = label;
const row = "example.com/row";
const full = { key: "full", effect: "NoSchedule" } as const;

describe("zone ids", () => {
  const subnets = ["a", "b", "c"].map((name, index) => ({
    id: `subnet-${name}`,
    zone: name,
    zoneID: `az${3 - index}`,
  }));
  const nodeClasses = [nodeClass({}, { subnets })];

  it("narrow the zones of a pod that selects one", () => {
    const pods = [
      pendingPod("in", { spec: nodeTerms([[zoneId, "In", "az2"]]) }),
      pendingPod("not-in", { spec: nodeTerms([[zoneId, "NotIn", "az3", "az2"]]) }),
      pendingPod("nowhere", { spec: { nodeSelector: { [zoneId]: "az2", [zone]: "a" } } }),
    ];
    const plan = planFor({ pods, nodeClasses });
    expectNodes(plan, "m5.large in b: in", "m5.large in c: not-in");
    expectUnschedulable(plan, ["nowhere"], zone);
  });

  it("narrow the zones of a NodePool that requires one", () => {
    const pools = [nodePool("default", { requirements: [oneOf(zoneId, "az1")] })];
    expectNodes(planFor({ pods: pendingPods(1, "web"), pools, nodeClasses }), "m5.large in c: web-0");
  });

  it("are spread over, alone and together with zones", () => {
    for (const spec of [
      spread(zoneId, "web"),
      {
        topologySpreadConstraints: [
          ...(spread(zoneId, "web").topologySpreadConstraints ?? []),
          ...(zoneSpread("web").topologySpreadConstraints ?? []),
        ],
      },
    ]) {
      const plan = planFor({ pods: pendingPods(6, "web", { spec }), nodeClasses });
      expectSpread(plan, "zone", [2, 2, 2]);
      for (const { offerings, requirements } of plan.nodeClaims) {
        const subnet = subnets.find((entry) => entry.zone === offerings[0].zone);
        expect([...(requirements.get(zoneId)?.values ?? [])]).toEqual([subnet?.zoneID]);
        expect(new Set(offerings.map((offering) => offering.zone)).size).toBe(1);
      }
    }
  });

  it("count the pods of nodes that exist", () => {
    const { node, claim } = claimedNode("n", { zone: "a", labels: { [zoneId]: "az3" }, taints: [full] });
    const pods = [runningPod("old", "n", { app: "web" }), ...pendingPods(2, "web", { spec: awayFrom("web", zoneId) })];
    const plan = planFor({ pods, nodes: [node], nodeClaims: [claim], nodeClasses });
    expectNodes(plan, "m5.large in b: web-0", "m5.large in c: web-1");
  });

  it("that nobody knows refuse the pods that spread over them", () => {
    const plan = planFor({ pods: pendingPods(1, "web", { spec: spread(zoneId, "web") }) });
    expectUnschedulable(plan, ["web-0"], `no node that could take it has a value for the topology key ${zoneId}`);
  });
});

describe("the domains that count", () => {
  const small = catalogOf({
    "m5.large": { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 },
    "m5.4xlarge": { vcpus: 16, memoryGib: 64, priceUsdPerHour: 0.8, zones: ["a", "b"] },
  });

  it("are those with a type that is large enough", () => {
    const pods = pendingPods(6, "web", { cpu: "10", spec: zoneSpread("web") });
    expectSpread(planFor({ pods, catalog: small }), "zone", [3, 3]);
  });

  it("include those where nodes are, large enough or not", () => {
    const pods = pendingPods(6, "web", { cpu: "10", spec: zoneSpread("web") });
    const plan = planFor({ pods, catalog: small, nodes: [plainNode("n", { zone: "c" })] });
    expectSpread(plan, "zone", [1, 1]);
    expectUnschedulable(plan, ["web-2", "web-3", "web-4", "web-5"], "admits none of a, b");
  });

  it("of a label that the NodePool leaves open are those that the pods and the nodes name", () => {
    const pools = [nodePool("default", { requirements: [{ key: row, operator: "Exists" }] })];
    const named = pendingPods(4, "web", { spec: { ...spread(row, "web"), ...nodeTerms([[row, "In", "1", "2"]]) } });
    const plan = planFor({ pods: named, pools });
    expectAllPlaced(plan);
    expect(
      plan.nodeClaims.map(({ requirements, pods }) => [[...(requirements.get(row)?.values ?? [])], pods.length]),
    ).toEqual(
      expect.arrayContaining([
        [["1"], 2],
        [["2"], 2],
      ]),
    );
    const nodes = ["1", "2"].map((name) => plainNode(name, { labels: { [row]: name }, taints: [full] }));
    const old = runningPod("old", "1", { app: "web" });
    const [claim] = planFor({
      pods: [old, ...pendingPods(1, "web", { spec: spread(row, "web") })],
      nodes,
      pools,
    }).nodeClaims;
    expect([...(claim?.requirements.get(row)?.values ?? [])]).toEqual(["2"]);
  });
});

describe("the pods that count", () => {
  it("are none for a constraint without a selector, but the node must have the label", () => {
    const spec = (topologyKey: string) => ({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule" as const }],
    });
    expectSpread(planFor({ pods: pendingPods(4, "web", { cpu: "100m", spec: spec(zone) }) }), "node", [4]);
    expectUnschedulable(planFor({ pods: pendingPods(1, "web", { spec: spec("rack") }) }), ["web-0"], "rack");
  });

  it("are those on nodes whose taints are tolerated, where taints are honoured", () => {
    const fenced = { key: "fenced", effect: "NoSchedule" } as const;
    const pools = [
      nodePool("fenced", { weight: 10, taints: [fenced], requirements: [oneOf(zone, "a")] }),
      nodePool("open"),
    ];
    const inside = pendingPods(3, "inside", {
      app: "web",
      cpu: "1500m",
      spec: { tolerations: [{ key: "fenced", operator: "Exists" }], nodeSelector: { [label.nodePool]: "fenced" } },
    });
    const outside = pendingPods(3, "outside", {
      app: "web",
      spec: zoneSpread("web", { nodeTaintsPolicy: "Honor" }),
    });
    const plan = planFor({ pods: [...inside, ...outside], pools });
    expectAllPlaced(plan);
    const zones = plan.nodeClaims
      .filter(({ nodePool: name }) => name === "open")
      .map(({ offerings }) => offerings[0].zone);
    expect(zones.sort()).toEqual(["a", "b", "c"]);
  });

  it("are not those that have ended", () => {
    const ended = ["Succeeded", "Failed"].map((phase) => ({
      ...runningPod(phase, "n", { app: "web" }),
      status: { phase },
    }));
    const nodes = [plainNode("n", { zone: "a", taints: [full] })];
    const plan = planFor({ pods: [...ended, ...pendingPods(3, "web", { spec: zoneSpread("web") })], nodes });
    expectSpread(plan, "zone", [1, 1, 1]);
  });

  it("are those of the namespaces that a selector of namespaces takes", () => {
    const namespaces = { default: {}, data: { team: "data" }, other: {} };
    const db = (namespace: string) =>
      pendingPod(`db-${namespace}`, { app: "db", cpu: "1200m", namespace, spec: { nodeSelector: { [zone]: "a" } } });
    const web = (changes: object) => pendingPod("web", { spec: awayFrom("db", zone, changes) });
    const byTeam = { namespaceSelector: { matchLabels: { team: "data" } } };
    const apart = planFor({ pods: [db("data"), web(byTeam)], namespaces });
    expectNodes(apart, "m5.large in a: db-data", "m5.large in b: web");
    expectNodes(planFor({ pods: [db("other"), web(byTeam)], namespaces }), "m5.xlarge in a: db-other web");
    const both = { ...byTeam, namespaces: ["other"] };
    expectNodes(
      planFor({ pods: [db("other"), web(both)], namespaces }),
      "m5.large in a: db-other",
      "m5.large in b: web",
    );
  });

  it("are those of other values of a mismatchLabelKeys label", () => {
    const spec = awayFrom("web", zone, { mismatchLabelKeys: ["tenant"] });
    const tenant = (name: string) => pendingPods(2, name, { app: "web", labels: { tenant: name }, spec });
    const plan = planFor({ pods: [...tenant("x"), ...tenant("y")] });
    expectAllPlaced(plan);
    expectSpread(plan, "zone", [2, 2]);
    for (const { pods } of plan.nodeClaims) expect(new Set(pods.map(({ name }) => name[0])).size).toBe(1);
  });

  it("are none for an affinity whose selector no API server would take", () => {
    const labelSelector = { matchExpressions: [{ key: "app", operator: "In" as const, values: [] }] };
    const pods = [pendingPod("db", { app: "db" }), pendingPod("web", { spec: near("db", zone, { labelSelector }) })];
    expectUnschedulable(planFor({ pods }), ["web"], "pod affinity on topology.kubernetes.io/zone to nothing");
  });

  it("on one node are at most maxSkew of the constraint", () => {
    const pods = pendingPods(5, "web", { cpu: "100m", spec: hostnameSpread("web", { maxSkew: 2 }) });
    expectSpread(planFor({ pods }), "node", [1, 2, 2]);
  });
});
