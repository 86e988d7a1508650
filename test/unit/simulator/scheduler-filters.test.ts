import { describe, expect, it } from "vitest";
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from "../../../shared/api/core.ts";
import { podInfo, SchedulerCache } from "../../../shared/simulator/scheduler-cache.ts";
import { filterNode, preFilter } from "../../../shared/simulator/scheduler-filters.ts";
import { nodeNamed, podNamed } from "../../support/cluster-objects.ts";

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const app = (name: string) => ({ matchLabels: { app: name } });

/** Why a pod may not go to each node; `undefined` where it may. */
function verdicts(
  pod: Pod,
  nodes: readonly Node[],
  placed: readonly Pod[] = [],
  nominated: Readonly<Record<string, readonly Pod[]>> = {},
): Record<string, string | undefined> {
  const cache = new SchedulerCache();
  for (const node of nodes) cache.setNode(node);
  for (const each of placed) cache.setPod(withUid(each));
  for (const [name, pods] of Object.entries(nominated)) {
    for (const each of pods) cache.nominate(podInfo(withUid(each)), name);
  }
  const info = podInfo(withUid(pod));
  const state = preFilter(info, cache);
  return Object.fromEntries(
    cache.nodes().map((node) => [node.name, filterNode(info, node, state).join(" + ") || undefined]),
  );
}

function withUid(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, uid: pod.metadata.uid ?? `uid-${pod.metadata.name}` } };
}

function placed(
  name: string,
  nodeName: string,
  labels: Record<string, string> = {},
  spec: Partial<Pod["spec"]> = {},
): Pod {
  return podNamed(name, { labels, spec: { nodeName, ...spec } });
}

const zoneNode = (name: string, value: string) => nodeNamed(name, { labels: { [zone]: value } });

describe("single-node predicates", () => {
  it("refuse cordoned nodes and taints that are not tolerated", () => {
    const taints = [{ key: "gpu", value: "yes", effect: "NoSchedule" as const }];
    const nodes = [
      nodeNamed("cordoned", { spec: { unschedulable: true } }),
      nodeNamed("tainted", { spec: { taints } }),
      nodeNamed("soft", { spec: { taints: [{ key: "gpu", effect: "PreferNoSchedule" }] } }),
    ];
    expect(verdicts(podNamed("web"), nodes)).toEqual({
      cordoned: "node(s) were unschedulable",
      tainted: "node(s) had untolerated taint {gpu: yes}",
      soft: undefined,
    });
    const tolerant = podNamed("web", { spec: { tolerations: [{ operator: "Exists" }] } });
    expect(Object.values(verdicts(tolerant, nodes))).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    { operator: "In" as const, values: ["8"], fits: ["eight"] },
    { operator: "NotIn" as const, values: ["8"], fits: ["four", "none"] },
    { operator: "Exists" as const, values: [], fits: ["four", "eight"] },
    { operator: "DoesNotExist" as const, values: [], fits: ["none"] },
    { operator: "Gt" as const, values: ["4"], fits: ["eight"] },
    { operator: "Lt" as const, values: ["8"], fits: ["four"] },
  ])("match node affinity $operator $values against the labels a node has", ({ operator, values, fits }) => {
    const nodes = [
      nodeNamed("four", { labels: { cpu: "4" } }),
      nodeNamed("eight", { labels: { cpu: "8" } }),
      nodeNamed("none"),
    ];
    const nodeSelectorTerms = [{}, { matchExpressions: [{ key: "cpu", operator, values }] }];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const found = verdicts(podNamed("web", { spec: { affinity: { nodeAffinity: required } } }), nodes);
    expect(Object.keys(found).filter((name) => found[name] === undefined)).toEqual(fits);
  });

  it("name every resource that is short, and count terminating pods until they are gone", () => {
    const leaving = placed("leaving", "small", {}, {});
    leaving.metadata.deletionTimestamp = "2026-11-30T12:00:00Z";
    const pod = podNamed("web", { cpu: "3", memory: "17Gi" });
    expect(verdicts(pod, [nodeNamed("small", { pods: "1" })], [leaving])).toEqual({
      small: "Insufficient memory + Too many pods",
    });
    const ended = { ...leaving, status: { phase: "Succeeded" } };
    expect(verdicts(podNamed("web", { cpu: "4" }), [nodeNamed("small", { pods: "1" })], [ended])).toEqual({
      small: undefined,
    });
  });

  it("refuse a host port that is taken", () => {
    const port = (name: string, hostPort: number, nodeName?: string) =>
      podNamed(name, {
        spec: { containers: [{ name: "app", ports: [{ hostPort }] }], ...(nodeName === undefined ? {} : { nodeName }) },
      });
    const nodes = [nodeNamed("a")];
    expect(verdicts(port("web", 80), nodes, [port("other", 80, "a")]).a).toContain("free ports");
    expect(verdicts(port("web", 80), nodes, [port("other", 81, "a")]).a).toBeUndefined();
  });
});

describe("topology spread", () => {
  const nodes = [zoneNode("a", "a"), zoneNode("b", "b"), nodeNamed("nowhere")];
  const spread = (changes: Partial<TopologySpreadConstraint> = {}): Pod =>
    podNamed("web", {
      labels: { app: "web" },
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "DoNotSchedule", labelSelector: app("web"), ...changes },
        ],
      },
    });
  const one = [placed("web-0", "a", { app: "web" })];
  const crowded = "node(s) didn't match pod topology spread constraints";

  it("keeps the skew within its limit and needs the label", () => {
    expect(verdicts(spread(), nodes, one)).toEqual({
      a: crowded,
      b: undefined,
      nowhere: "node(s) didn't match pod topology spread constraints (missing required label)",
    });
    expect(verdicts(spread({ maxSkew: 2 }), nodes, one).a).toBeUndefined();
    expect(verdicts(spread({ whenUnsatisfiable: "ScheduleAnyway" }), nodes, one).nowhere).toBeUndefined();
  });

  it("counts from zero while there are fewer domains than minDomains", () => {
    const both = [...one, placed("web-1", "b", { app: "web" })];
    expect(verdicts(spread(), nodes, both).a).toBeUndefined();
    expect(verdicts(spread({ minDomains: 3 }), nodes, both).a).toBe(crowded);
  });

  it("counts neither terminating pods nor other namespaces", () => {
    const leaving = placed("web-0", "a", { app: "web" });
    leaving.metadata.deletionTimestamp = "2026-11-30T12:00:00Z";
    const other = podNamed("web-0", { labels: { app: "web" }, metadata: { namespace: "b" }, spec: { nodeName: "a" } });
    expect(verdicts(spread(), nodes, [leaving]).a).toBeUndefined();
    expect(verdicts(spread(), nodes, [other]).a).toBeUndefined();
  });

  it("leaves out domains that the pod's own affinity or, when honoured, taints exclude", () => {
    const tainted = nodeNamed("c", {
      labels: { [zone]: "c" },
      spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] },
    });
    const both = [...one, placed("web-1", "b", { app: "web" })];
    expect(verdicts(spread(), [...nodes, tainted], both).a).toBe(crowded);
    expect(verdicts(spread({ nodeTaintsPolicy: "Honor" }), [...nodes, tainted], both).a).toBeUndefined();
    const pinned = spread();
    pinned.spec.nodeSelector = { [zone]: "a" };
    expect(verdicts(pinned, nodes, one).a).toBeUndefined();
  });
});

describe("inter-pod affinity", () => {
  const nodes = [zoneNode("a1", "a"), zoneNode("a2", "a"), zoneNode("b1", "b")];
  const term = (name: string, topologyKey: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
    topologyKey,
    labelSelector: app(name),
    ...more,
  });
  const attracted = (...terms: PodAffinityTerm[]) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const repelled = (...terms: PodAffinityTerm[]) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });

  it("goes where its friends are, in their whole topology domain", () => {
    const pod = podNamed("web", { spec: attracted(term("db", zone)) });
    const far = "node(s) didn't match pod affinity rules";
    expect(verdicts(pod, nodes, [placed("db", "a1", { app: "db" })])).toEqual({
      a1: undefined,
      a2: undefined,
      b1: far,
    });
    expect(verdicts(pod, nodes)).toEqual({ a1: far, a2: far, b1: far });
  });

  it("lets the first pod of a group that asks for itself go anywhere", () => {
    const pod = podNamed("web", { labels: { app: "web" }, spec: attracted(term("web", zone)) });
    expect(Object.values(verdicts(pod, nodes))).toEqual([undefined, undefined, undefined]);
  });

  it("keeps away from those it cannot stand", () => {
    const pod = podNamed("web", { spec: repelled(term("db", hostname)) });
    expect(verdicts(pod, nodes, [placed("db", "a1", { app: "db" })])).toEqual({
      a1: "node(s) didn't match pod anti-affinity rules",
      a2: undefined,
      b1: undefined,
    });
  });

  it("keeps away from those that cannot stand it", () => {
    const pod = podNamed("web", { labels: { app: "web" } });
    const why = "node(s) didn't satisfy existing pods anti-affinity rules";
    const loner = placed("loner", "a1", {}, repelled(term("web", zone)));
    expect(verdicts(pod, nodes, [loner])).toEqual({ a1: why, a2: why, b1: undefined });
  });

  it("looks into other namespaces only when a term says so", () => {
    const db = podNamed("db", { labels: { app: "db" }, metadata: { namespace: "data" }, spec: { nodeName: "a1" } });
    const fits = (more: Partial<PodAffinityTerm>) =>
      verdicts(podNamed("web", { spec: attracted(term("db", hostname, more)) }), nodes, [db]).a1 === undefined;
    expect(fits({})).toBe(false);
    expect(fits({ namespaces: ["data"] })).toBe(true);
    expect(fits({ namespaceSelector: {} })).toBe(true);
  });
});

describe("pods that are nominated to a node", () => {
  const spread = (name: string, priority = 0) =>
    podNamed(name, {
      labels: { app: "web" },
      spec: {
        priority,
        topologySpreadConstraints: [
          { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", labelSelector: app("web") },
        ],
      },
    });
  const zones = [zoneNode("a", "a"), zoneNode("b", "b")];
  const unspread = "node(s) didn't match pod topology spread constraints";

  it("count in the topology spread of those that do not go before them", () => {
    const nominated = { a: [spread("one"), spread("two")] };
    expect(verdicts(spread("web"), zones, [], nominated)).toEqual({ a: unspread, b: undefined });
    expect(verdicts(spread("web", 1), zones, [], nominated)).toEqual({ a: undefined, b: undefined });
    // One of them is not counted against itself.
    expect(verdicts(spread("one"), zones, [], { a: [spread("one")] })).toEqual({ a: undefined, b: undefined });
  });

  it("lift the emptiest domain too", () => {
    const held = ["x", "y", "z"].map((name) => placed(name, "b", { app: "web" }));
    expect(verdicts(spread("web"), zones, held, { a: [spread("one"), spread("two")] })).toEqual({
      a: undefined,
      b: unspread,
    });
    expect(verdicts(spread("web"), zones, [], { a: [spread("one")], b: [spread("two")] })).toEqual({
      a: unspread,
      b: unspread,
    });
  });

  it("repel and are repelled, but nobody is attracted to them", () => {
    const term = { topologyKey: hostname, labelSelector: app("web") };
    const averse = podNamed("averse", {
      labels: { app: "averse" },
      spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    });
    const attracted = podNamed("attracted", {
      spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    });
    const plain = podNamed("plain", { labels: { app: "web" } });
    const hosts = [nodeNamed("n", { labels: { [hostname]: "n" } })];
    expect(verdicts(averse, hosts, [], { n: [plain] }).n).toBe("node(s) didn't match pod anti-affinity rules");
    expect(verdicts(plain, hosts, [], { n: [averse] }).n).toBe(
      "node(s) didn't satisfy existing pods anti-affinity rules",
    );
    expect(verdicts(attracted, hosts, [], { n: [plain] }).n).toBe("node(s) didn't match pod affinity rules");
  });
});
