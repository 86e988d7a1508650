import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { explainPod, type PodExplanation } from "../../../shared/provisioning/explain/explain-pod.ts";
import { nodeNamed } from "../../support/cluster-objects.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { awayFrom, nodeTerms, pendingPod, pendingPods, runningPod, zoneSpread } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";

const zone = "topology.kubernetes.io/zone";

function explained(name: string, world: World): PodExplanation {
  const snapshot = snapshotWith(world);
  const pod = snapshot.pods.find((candidate) => candidate.name === name);
  if (pod === undefined) throw new Error(`no pod ${name}`);
  return explainPod(snapshot, pod);
}

/** Edits as `object path: from -> to`, in their order. */
function fixesOf(explanation: PodExplanation): readonly string[] {
  if (explanation.kind !== "no-place") throw new Error(`expected no place, found ${explanation.kind}`);
  return explanation.fixes.map(({ edit: { target, at, from, to } }) => {
    const object = target.kind === "Pod" ? "Pod" : `NodePool ${target.name}`;
    return `${object} ${at.join(".")}: ${JSON.stringify(from) ?? "-"} -> ${JSON.stringify(to) ?? "-"}`;
  });
}

function fixesFor(pod: Pod, world: Omit<World, "pods"> = {}): readonly string[] {
  return fixesOf(explained(pod.metadata.name, { ...world, pods: [pod] }));
}

describe("the smallest change for a pod without a place", () => {
  it("corrects a key to that of a NodePool's own label", () => {
    const pools = [nodePool("a", { labels: { "example.com/disk": "ssd" } })];
    expect(fixesFor(pendingPod("p", { spec: { nodeSelector: { disk: "ssd" } } }), { pools })[0]).toBe(
      'Pod spec.nodeSelector: {"disk":"ssd"} -> {"example.com/disk":"ssd"}',
    );
    const affinity = nodeTerms([["example.com/dsk", "In", "ssd"]]);
    expect(fixesFor(pendingPod("p", { spec: affinity }), { pools })[0]).toContain(
      'matchExpressions.0.key: "example.com/dsk" -> "example.com/disk"',
    );
  });

  it("corrects a value before it offers another", () => {
    const type = { nodeSelector: { "node.kubernetes.io/instance-type": "m5.xlrge" } };
    const [first] = fixesFor(pendingPod("p", { spec: type }));
    expect(first).toMatch(/"m5.xlrge" -> "m5.x?large"/);
  });

  it("takes away a term with its last expression, and the affinity with its last term", () => {
    const two = nodeTerms([["disk", "In", "ssd"]], [["disk", "In", "nvme"]]);
    expect(fixesFor(pendingPod("p", { spec: two })).join("\n")).not.toContain("matchExpressions.0: {");
    const one = nodeTerms([["disk", "Exists"]]);
    expect(fixesFor(pendingPod("p", { spec: one }))[0]).toMatch(
      /requiredDuringSchedulingIgnoredDuringExecution: .* -> -$/,
    );
  });

  it("lowers the larger of two containers' requests to what the largest node has left", () => {
    const containers = [
      { name: "app", resources: { requests: { cpu: "15" } } },
      { name: "side", resources: { requests: { cpu: "3" } } },
    ];
    expect(fixesFor(pendingPod("p", { spec: { containers } }))).toEqual([
      'Pod spec.containers.0.resources.requests.cpu: "15" -> "13"',
      'Pod spec.containers.1.resources.requests.cpu: "3" -> "1"',
    ]);
  });

  it("adds a toleration where one taint is in the way, and nothing where there are two", () => {
    const [team, gpu] = [
      { key: "team", value: "ml", effect: "NoSchedule" },
      { key: "gpu", effect: "NoExecute" },
    ] as const;
    expect(fixesFor(pendingPod("p"), { pools: [nodePool("a", { taints: [gpu] })] })).toEqual([
      'Pod spec.tolerations.0: - -> {"key":"gpu","operator":"Exists","effect":"NoExecute"}',
      'NodePool a spec.template.spec.taints.0: {"key":"gpu","effect":"NoExecute"} -> -',
    ]);
    expect(fixesFor(pendingPod("p"), { pools: [nodePool("a", { taints: [team, gpu] })] })).toEqual([]);
  });

  it("raises a limit for the pods that are left over with it, where they come first", () => {
    const pods = pendingPods(4, "web", { cpu: "3" });
    const pools = [nodePool("a", { limits: { cpu: "4" } })];
    expect(fixesOf(explained("web-3", { pods, pools }))).toEqual(['NodePool a spec.limits.cpu: "4" -> "16"']);
    expect(fixesOf(explained("web-1", { pods, pools }))).toEqual(['NodePool a spec.limits.cpu: "4" -> "8"']);
  });

  it("raises all limits that are short, and no others, where one does not help", () => {
    const pools = [nodePool("a", { limits: { cpu: "2", memory: "8Gi", nodes: "9" } })];
    expect(fixesFor(pendingPod("p", { cpu: "3" }), { pools })).toEqual([
      'NodePool a spec.limits: {"cpu":"2","memory":"8Gi","nodes":"9"} -> {"cpu":"4","memory":"16Gi","nodes":"9"}',
    ]);
  });

  it("lets the NodePool have the value that the pod, or the type that would hold it, has", () => {
    const small = [nodePool("a", { requirements: [oneOf("karpenter.k8s.aws/instance-size", "large")] })];
    const fixes = fixesFor(pendingPod("p", { cpu: "3" }), { pools: small });
    expect(fixes).toContain('NodePool a spec.template.spec.requirements.0.values.1: - -> "xlarge"');
    const zoned = [nodePool("a", { requirements: [oneOf(zone, "a")] })];
    const elsewhere = pendingPod("p", { spec: { nodeSelector: { [zone]: "b" } } });
    expect(fixesFor(elsewhere, { pools: zoned })).toContain(
      'NodePool a spec.template.spec.requirements.0.values.1: - -> "b"',
    );
  });

  it("softens a spread by as little as helps, before it gives it up", () => {
    const nodes = ["a", "b"].map((name) => nodeNamed(`n-${name}`, { labels: { [zone]: name }, cpu: "2" }));
    const running = ["1", "2"].map((name) => runningPod(`w-${name}`, "n-a", { app: "web" }));
    const policy = { nodeAffinityPolicy: "Ignore" } as const;
    const spec = { ...zoneSpread("web", policy), nodeSelector: { [zone]: "a" } };
    const pods = [...running, pendingPod("web", { app: "web", spec })];
    const fixes = fixesOf(explained("web", { nodes, pods })).join("\n");
    expect(fixes).toContain("Pod spec.topologySpreadConstraints.0.maxSkew: 1 -> 3");
    expect(fixes).not.toContain("maxSkew: 1 -> 5");
  });

  it("changes the pods of one workload together, as their template does", () => {
    const owner = { kind: "ReplicaSet", uid: "web" };
    const pods = pendingPods(2, "web", { spec: { nodeSelector: { disk: "ssd" } }, owner });
    const explanation = explained("web-1", { pods });
    if (explanation.kind !== "no-place") throw new Error("expected no place");
    const [fix] = explanation.fixes;
    const claim = fix?.placement.kind === "new-node" ? fix.placement.claim : undefined;
    expect(claim?.pods.map(({ name }) => name)).toEqual(["web-0", "web-1"]);
  });

  it("is found in a big world among the pods that have to do with it", () => {
    const crowd = pendingPods(320, "crowd", { cpu: "100m" });
    const lonely = pendingPods(4, "db", { spec: awayFrom("db", zone), owner: { kind: "StatefulSet", uid: "db" } });
    const explanation = explained("db-3", { pods: [...crowd, ...lonely] });
    expect(fixesOf(explanation)[0]).toContain('topologyKey: "topology.kubernetes.io/zone" -> "kubernetes.io/hostname"');
    const placements = explanation.kind === "no-place" ? explanation.fixes.map(({ placement }) => placement) : [];
    const pods = placements.flatMap((placement) => (placement.kind === "new-node" ? placement.claim.pods : []));
    expect(pods.some(({ name }) => name.startsWith("crowd"))).toBe(false);
  });

  it("is found in the whole of a big world where it is the others that are in the way", () => {
    const crowd = pendingPods(320, "crowd", { cpu: "2" });
    const pools = [nodePool("a", { limits: { cpu: "640" } })];
    expect(fixesOf(explained("late", { pods: [...crowd, pendingPod("late", { cpu: "1" })], pools }))).toEqual([
      expect.stringMatching(/^NodePool a spec\.limits\.cpu: "640" -> "64[0-9]"/),
    ]);
  });

  it("is not told where the object would be refused with it, or where no edit helps", () => {
    const spec = { nodeSelector: { a: "b", c: "d" } };
    const explanation = explained("p", { pods: [pendingPod("p", { spec })] });
    expect(explanation).toMatchObject({ kind: "no-place", fixes: [] });
    expect(explanation.kind === "no-place" && explanation.tried).toBeGreaterThan(0);
  });
});
