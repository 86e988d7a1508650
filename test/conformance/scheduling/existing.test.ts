import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool } from "../../support/node-pools.ts";
import { claimedNode, plainNode } from "../../support/nodes.ts";
import { near, nodeTerms, pendingPod, pendingPods, runningPod } from "../../support/pods.ts";

const little = { cpu: "100m", memory: "10Mi" };

/** A type of 16 CPUs, alone. */
const sixteen = catalogOf({ "m5.4xlarge": { vcpus: 16, memoryGib: 64, priceUsdPerHour: 0.8 } });

conforms(
  "sched.inflight.daemons | daemon bound to node consumes its reserved share | remaining capacity counts it once; 14.9 CPU pod fits",
  () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "1" })];
    const first = solve({ pods: [pendingPod("one", { cpu: "1m" })], daemonSets, catalog: sixteen });
    const world = carriedOut(first, "registered");
    const nodeName = world.nodes?.[0]?.metadata.name ?? "";
    const agent = runningPod("agent-1", nodeName, { cpu: "1", owner: { kind: "DaemonSet", uid: "agent" } });
    const next = (cpu: string) => solve({ ...world, pods: [...(world.pods ?? []), agent, pendingPod("two", { cpu })] });
    expect(next("14900m").existing).toEqual({ [nodeName]: ["two"] });
    expect(next("15").nodes).toHaveLength(1);
  },
);

conforms(
  "sched.inflight.daemons | unexpected daemon (not schedulable per template) bound | remaining daemon reservation floors at 0; next pod needs new node",
  () => {
    const elsewhere = { nodeSelector: { node: "other" } };
    const daemonSets = [daemonSetNamed("stray", { cpu: "4", spec: elsewhere })];
    const first = solve({ pods: [pendingPod("one", { cpu: "8" })], daemonSets, catalog: sixteen });
    const world = carriedOut(first, "registered");
    const nodeName = world.nodes?.[0]?.metadata.name ?? "";
    const stray = runningPod("stray-1", nodeName, { cpu: "4", owner: { kind: "DaemonSet", uid: "stray" } });
    const next = (cpu: string) => solve({ ...world, pods: [...(world.pods ?? []), stray, pendingPod("two", { cpu })] });
    // 16 less 8 less 4: a reservation below zero would give the stray daemon's share away again.
    expect(next("4").existing).toEqual({ [nodeName]: ["two"] });
    expect(next("5").existing).toEqual({});
    expect(next("5").nodes.map(({ pods }) => pods)).toEqual([["two"]]);
  },
);

conforms(
  "sched.inflight.daemons | daemons with affinity on karpenter.sh/initialized or registered | overhead counted, labels not leaked into claim",
  () => {
    for (const key of [label.initialized, label.registered]) {
      const wanted = nodeTerms([[key, "In", "true"]]);
      const daemonSets = [daemonSetNamed("agent", { cpu: "1", spec: wanted })];
      const first = solve({ pods: [pendingPod("one", { cpu: "1500m" })], daemonSets });
      expect(
        first.nodes.map(({ type }) => type),
        key,
      ).toEqual([fake.standard]);
      const [node] = first.nodes;
      expect(node?.labels[key]).toBeUndefined();
      expect(node?.object.spec.requirements.some((entry) => entry.key === key)).toBe(false);
      expect(node?.object.spec.resources?.requests?.cpu).toBe("2500m");
      // The daemon is still to come when the node has the label only in a moment.
      const launched = carriedOut(first, "launched");
      const next = (cpu: string) =>
        solve({ ...launched, pods: [...(launched.pods ?? []), pendingPod("two", { cpu })] });
      expect(next("1500m").existing, key).toEqual({ [node?.object.metadata.name ?? ""]: ["two"] });
      expect(next("1600m").existing, key).toEqual({});
    }
  },
);

conforms("sched.existing | 100 pods, unmanaged node with room | all there", () => {
  const node = plainNode("own", { cpu: "100" });
  const roomy = { ...node, status: { allocatable: { cpu: "100", memory: "100Gi", pods: "110" } } };
  const { nodes, existing } = solve({ pods: pendingPods(100, "p", { cpu: "10m", memory: "10Mi" }), nodes: [roomy] });
  expect(nodes).toEqual([]);
  expect(existing.own).toHaveLength(100);
});

conforms("sched.existing | several nodes, one initialised | initialised first", () => {
  const pairs = ["n1", "n2", "n3", "n4"].map((name) => claimedNode(name, { initialized: name === "n3" }));
  const world = { nodes: pairs.map(({ node }) => node), nodeClaims: pairs.map(({ claim }) => claim) };
  expect(solve({ ...world, pods: [pendingPod("p", little)] }).existing).toEqual({ n3: ["p"] });
});

conforms(
  "sched.existing | pod incompatible with node, compatible with pool | no bind to node; new node when pool applied",
  () => {
    const tainted = plainNode("tainted", { taints: [{ key: "own", effect: "NoSchedule" }] });
    const elsewhere = plainNode("elsewhere", { zone: "c" });
    const pod = pendingPod("p", { ...little, spec: { nodeSelector: { [label.zone]: "a" } } });
    const without = solve({ pods: [pod], nodes: [tainted, elsewhere], pools: [] });
    expect(without.existing).toEqual({});
    expect(without.unscheduled).toEqual(["p"]);
    const withPool = solve({ pods: [pod], nodes: [tainted, elsewhere], pools: [nodePool()] });
    expect(withPool.existing).toEqual({});
    expect(withPool.nodes.map(({ zone }) => zone)).toEqual(["a"]);
  },
);

conforms(
  "sched.existing.daemons | daemon requires zone label the node lacks | its overhead isn't subtracted; pod fits; next one doesn't",
  () => {
    const { [label.zone]: _, ...labels } = plainNode("own").metadata.labels ?? {};
    const bare = plainNode("own", { cpu: "4" });
    const node = { ...bare, metadata: { ...bare.metadata, labels } };
    const daemonSets = [daemonSetNamed("zonal", { cpu: "1", spec: nodeTerms([[label.zone, "In", "a"]]) })];
    const { existing, nodes } = solve({
      pods: [pendingPod("one", { cpu: "4" }), pendingPod("two", { cpu: "100m" })],
      nodes: [node],
      daemonSets,
    });
    expect(existing).toEqual({ own: ["one"] });
    expect(nodes.map(({ pods }) => pods)).toEqual([["two"]]);
    // With the label the daemon comes, and there is room for less.
    const labelled = solve({ pods: [pendingPod("one", { cpu: "4" })], nodes: [bare], daemonSets });
    expect(labelled.existing).toEqual({});
  },
);

conforms("sched.no-prebind | ten pods with zone self-affinity | one node", () => {
  const spec = near("p", label.zone);
  const { nodes } = solve({ pods: pendingPods(10, "p", { ...little, spec }), catalog: sixteen });
  expect(nodes.map(({ pods }) => pods.length)).toEqual([10]);
});
