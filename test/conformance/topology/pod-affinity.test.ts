import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms, differs } from "../../support/conformance.ts";
import { GrowingCluster } from "../../support/growing-cluster.ts";
import { type Solved, solve } from "../../support/karpenter-fixture.ts";
import { hostnameSpread, near, nodeTerms, pendingPod, pendingPods, preferring } from "../../support/pods.ts";

const { zone, arch, hostname } = label;
const small = "100m";
const podsByNode = ({ nodes }: Solved) => nodes.map(({ pods }) => pods);

describe("pod affinity", () => {
  conforms("topo.podaff | empty affinity structs | scheduled", () => {
    const affinity = [{}, { podAffinity: {}, podAntiAffinity: {} }];
    const pods = affinity.map((one, index) => pendingPod(`pod-${index}`, { spec: { affinity: one } }));
    expect(solve({ pods }).unscheduled).toEqual([]);
  });

  conforms("topo.podaff | affinity to another pod, hostname | same node", () => {
    const pods = [
      pendingPod("web", { cpu: small, spec: near("db") }),
      pendingPod("db", { app: "db", cpu: small }),
      ...pendingPods(10, "other"),
    ];
    const nodes = podsByNode(solve({ pods }));
    expect(nodes.find((names) => names.includes("db"))).toContain("web");
  });

  conforms("topo.podaff | affinity on arch with hostname spread | same arch, different nodes", () => {
    const cluster = new GrowingCluster();
    const selector = { nodeSelector: { [arch]: "arm64" } };
    cluster.round([
      pendingPod("web", { app: "one", cpu: small, spec: { ...hostnameSpread("one"), ...near("one", arch) } }),
      pendingPod("first", { app: "one", cpu: "2", spec: { ...hostnameSpread("one"), ...selector } }),
    ]);
    expect(cluster.skew(hostname)).toEqual([1, 1]);
    expect(cluster.domainOf("web", arch)).toBe("arm64");
  });

  conforms("topo.podaff | three pods self-affinity hostname | one node", () => {
    const pods = pendingPods(3, "web", { cpu: small, spec: near("web") });
    expect(podsByNode(solve({ pods }))).toEqual([["web-0", "web-1", "web-2"]]);
  });

  conforms(
    "topo.podaff | ten pods self-affinity hostname, node holds five | 5 scheduled, 5 not (first empty domain only)",
    () => {
      const cluster = new GrowingCluster();
      const { unscheduled } = cluster.round(pendingPods(10, "web", { cpu: small, spec: near("web") }));
      expect(cluster.skew(hostname)).toEqual([5]);
      expect(unscheduled).toHaveLength(5);
    },
  );

  conforms(
    "topo.podaff | self-affinity hostname but existing member in z1 and others require z2,z3 | not scheduled",
    () => {
      const cluster = new GrowingCluster();
      cluster.round([pendingPod("first", { app: "web", spec: { ...near("web"), nodeSelector: { [zone]: "a" } } })]);
      expect(cluster.domainOf("first", zone)).toBe("a");
      const elsewhere = nodeTerms([[zone, "In", "b", "c"]]).affinity;
      const spec = { affinity: { ...near("web").affinity, ...elsewhere } };
      expect(cluster.round(pendingPods(10, "web", { cpu: small, spec })).unscheduled).toHaveLength(10);
    },
  );

  conforms("topo.podaff | self-affinity zone | one node", () => {
    const pods = pendingPods(3, "web", { cpu: small, spec: near("web", zone) });
    expect(podsByNode(solve({ pods }))).toEqual([["web-0", "web-1", "web-2"]]);
  });

  differs(
    "topo.podaff | same affinity group, incompatible zone requirements z2 / z3 | two nodes",
    "kube-scheduler lets only the first pod of a group choose its zone, so the second node would stay empty while its pod waits for ever (decision record 0005).",
    () => {
      const pods = ["b", "c"].map((domain) =>
        pendingPod(domain, { app: "web", spec: { ...near("web", zone), nodeSelector: { [zone]: domain } } }),
      );
      const { nodes, unscheduled, plan } = solve({ pods });
      expect(nodes).toHaveLength(1);
      expect(unscheduled).toHaveLength(1);
      expect(plan.unschedulable[0]?.reasons[0]?.reason).toContain("pod affinity");
    },
  );

  conforms("topo.podaff | preferred affinity contradicts required spread | [1,1,1]", () => {
    const spec = { ...hostnameSpread("web"), ...preferring(near("db")) };
    const cluster = new GrowingCluster();
    cluster.round([pendingPod("db", { app: "db" }), ...pendingPods(3, "web", { cpu: small, spec })]);
    expect(cluster.skew(hostname, "web")).toEqual([1, 1, 1]);
  });

  conforms(
    "topo.podaff | zone affinity to unconstrained target in same batch | first pass only the target, next pass all 10 join: [11]",
    () => {
      // The target's zone is settled in the first pass, so that the others need not wait for the next one.
      const cluster = new GrowingCluster();
      cluster.round([
        ...pendingPods(10, "web", { spec: near("db", zone) }),
        pendingPod("db", { app: "db", cpu: small }),
      ]);
      cluster.round();
      expect(cluster.skew(zone)).toEqual([11]);
    },
  );

  conforms("topo.podaff | zone affinity to target pinned to z1 | all in one pass: [11]", () => {
    const cluster = new GrowingCluster();
    const target = pendingPod("db", { app: "db", cpu: small, spec: { nodeSelector: { [zone]: "a" } } });
    cluster.round([...pendingPods(10, "web", { spec: near("db", zone) }), target]);
    expect(cluster.skew(zone)).toEqual([11]);
    expect(cluster.domainOf("web-9", zone)).toBe("a");
  });
});

describe("chains of affinity", () => {
  const chain = [
    ["web", "db"],
    ["cache", "web"],
    ["ui", "cache"],
  ].map(([name = "", wanted = ""]) => pendingPod(name, { app: name, cpu: small, spec: near(wanted) }));

  conforms("topo.podaff | chain db←web←cache←ui | all scheduled", () => {
    const { unscheduled, nodes } = solve({ pods: [...chain, pendingPod("db", { app: "db", cpu: small })] });
    expect(unscheduled).toEqual([]);
    expect(nodes).toHaveLength(1);
  });

  conforms("topo.podaff | chain with missing head | none scheduled", () => {
    expect(solve({ pods: chain }).unscheduled).toEqual(["cache", "ui", "web"]);
  });
});

describe("affinity to other namespaces", () => {
  const target = pendingPod("db", { app: "db", namespace: "data", cpu: "3" });
  const wanting = (changes = {}) => pendingPod("web", { cpu: small, spec: near("db", hostname, changes) });
  const namespaces = { default: {}, data: { team: "data" } };

  conforms("topo.podaff.ns | target in other namespace, none listed | not scheduled", () => {
    expect(solve({ pods: [target, wanting()], namespaces }).unscheduled).toEqual(["web"]);
  });

  conforms("topo.podaff.ns | other namespace listed | same node", () => {
    const { nodes } = solve({ pods: [target, wanting({ namespaces: ["data"] })], namespaces });
    expect(nodes.map(({ pods }) => pods)).toEqual([["db", "web"]]);
  });

  conforms("topo.podaff.ns | empty namespaceSelector | all namespaces; same node", () => {
    const { nodes } = solve({ pods: [target, wanting({ namespaceSelector: {} })], namespaces });
    expect(nodes.map(({ pods }) => pods)).toEqual([["db", "web"]]);
  });
});
