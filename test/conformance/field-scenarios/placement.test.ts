import { expect } from "vitest";
import type { Pod, PodSpec } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { catalogOf } from "../../support/catalog.ts";
import { daemonSetNamed } from "../../support/cluster-objects.ts";
import { conforms } from "../../support/conformance.ts";
import { carriedOut, fake, solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { claimedNode, plainNode } from "../../support/nodes.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import {
  awayFrom,
  hostnameSpread,
  nodeTerms,
  pendingPod,
  pendingPods,
  preferring,
  runningPod,
} from "../../support/pods.ts";

const ordinary = catalogOf();

conforms(
  "B1.05 ScheduleAnyway hostname spread, 20 x 100m pods -> 20 nodes, then deleted -> treat as soft: at most what fits (1-2 nodes); must not block consolidation. [KA#4907]",
  () => {
    const spec = hostnameSpread("web", { whenUnsatisfiable: "ScheduleAnyway" });
    const first = solve({ pods: pendingPods(20, "web", { cpu: "100m", memory: "64Mi", spec }), catalog: ordinary });
    expect(first.unscheduled).toEqual([]);
    expect(first.nodes.length).toBeLessThanOrEqual(2);
    // What consolidation asks: whether the pods of a node that leaves fit on one that has others of theirs.
    const pairs = ["kept", "leaving"].map((name) =>
      claimedNode(
        name,
        name === "leaving" ? { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] } : {},
      ),
    );
    const pods = ["kept", "kept", "leaving"].map((node, index) =>
      runningPod(`web-${index}`, node, { app: "web", cpu: "100m", memory: "64Mi", spec }),
    );
    const moved = solve({ pods, nodes: pairs.map(({ node }) => node), nodeClaims: pairs.map(({ claim }) => claim) });
    expect(moved.nodes).toEqual([]);
    expect(moved.existing).toEqual({ kept: ["web-2"] });
  },
);

conforms(
  "B1.06 100 replicas with PREFERRED anti-affinity, 60 bound, 40 pending -> 32+ nodes, most stay empty because kube-scheduler packs -> relax and binpack 40. [KS#1300]",
  () => {
    const spec = preferring(awayFrom("web"));
    const nodes = Array.from({ length: 15 }, (_, index) => plainNode(`full-${index}`, { cpu: "400m" }));
    const bound = Array.from({ length: 60 }, (_, index) =>
      runningPod(`old-${index}`, `full-${index % 15}`, { app: "web", cpu: "100m", memory: "64Mi", spec }),
    );
    const pending = pendingPods(40, "web", { cpu: "100m", memory: "64Mi", spec });
    const plan = solve({ nodes, pods: [...bound, ...pending], catalog: ordinary });
    expect(plan.unscheduled).toEqual([]);
    // 40 pods of 100m are 4 CPUs: what one or two nodes hold.
    expect(plan.nodes.length).toBeLessThanOrEqual(2);
    expect(plan.plan.priceUsdPerHour).toBeLessThanOrEqual(0.2 * 1.1);
  },
);

conforms(
  "B1.07 Preferred node affinity on `karpenter.sh/nodepool` DoesNotExist -> pod is ignored for good -> soft term; relax, provision. [KS#1265]",
  () => {
    const preference = { matchExpressions: [{ key: label.nodePool, operator: "DoesNotExist" as const }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const { nodes, unscheduled } = solve({
      pods: [pendingPod("p", { cpu: "100m", spec: { affinity: { nodeAffinity } } })],
    });
    expect(unscheduled).toEqual([]);
    expect(nodes.map(({ pods }) => pods)).toEqual([["p"]]);
  },
);

conforms(
  'B1.13 instance-type minValues 5 with In of 5, one is ICEd -> flapping/incompatible error in loop -> fail with count "4 of 5" and back off; BestEffort launches. [KS#2999 family]',
  () => {
    const types = Object.fromEntries(
      ["m1", "m2", "m3", "m4", "m5"].map((family, index) => [
        `${family}.large`,
        { vcpus: 2, memoryGib: 8, priceUsdPerHour: 0.1 + index / 100, zones: ["a"] },
      ]),
    );
    const catalog = catalogOf(types);
    const requirement = { ...oneOf(label.instanceType, ...Object.keys(types)), minValues: 5 };
    const iced = { instanceType: "m3.large", zone: "a", capacityType: "on-demand", untilAt: 1, times: 1 };
    const world = {
      catalog,
      pods: [pendingPod("p")],
      pools: [nodePool("default", { requirements: [requirement] })],
      unavailable: [{ ...iced, code: "InsufficientInstanceCapacity" }],
    };
    const strict = solve(world);
    expect(strict.nodes).toEqual([]);
    expectUnschedulable(strict.plan, ["p"], /4 of 5/);
    // The same answer in each pass, and nothing that a later step would try to launch.
    expect(solve(world).plan.unschedulable).toEqual(strict.plan.unschedulable);
    expect(solve({ ...world, settings: { minValuesPolicy: "BestEffort" } }).nodes.map(({ type }) => type)).toEqual([
      "m1.large",
    ]);
    expect(solve({ ...world, unavailable: [] }).nodes).toHaveLength(1);
  },
);

conforms(
  "B1.22 DS with node affinity/selector for arm64 only: overhead must be per-type/per-pool, not global. [KS#1749 family]",
  () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "1500m", spec: { nodeSelector: { [label.arch]: "arm64" } } })];
    const of = (arch: string) => {
      const pod = pendingPod("p", { cpu: "1500m", memory: "1Gi", spec: { nodeSelector: { [label.arch]: arch } } });
      return solve({ pods: [pod], daemonSets }).nodes.map(({ type, object }) => [
        type,
        object.spec.resources?.requests?.cpu,
      ]);
    };
    expect(of("amd64")).toEqual([[fake.small, "1500m"]]);
    expect(of("arm64")).toEqual([[fake.arm, "3"]]);
  },
);

conforms(
  "B1.23 New node 4 cpu; DS 1 cpu not bound yet; 4 other pending 1-cpu pods bind first -> DS pod pending for life -> startup taint until DS pods are bound, or reserve. [KA#9269]",
  () => {
    const four = catalogOf({ "m5.xlarge": { vcpus: 4, memoryGib: 16, priceUsdPerHour: 0.2 } });
    const daemonSets = [daemonSetNamed("agent", { cpu: "1" })];
    const first = solve({ pods: pendingPods(4, "web", { cpu: "1" }), daemonSets, catalog: four });
    // Never four on one node, which has 4 CPUs: the daemon's place is kept.
    expect(first.nodes.map(({ pods }) => pods.length).sort()).toEqual([1, 3]);
    const started = carriedOut(first, "registered", { pods: pendingPods(4, "more", { cpu: "1" }) });
    const next = solve(started);
    const added = Object.values(next.existing).flat();
    expect(added).toHaveLength(2);
    expect(next.nodes.map(({ pods }) => pods.length)).toEqual([2]);
  },
);

conforms(
  "B1.24 init 200m, restartable-init sidecar 100m, app 100m -> must be max(init + sidecars started before it, app + sidecars) = 300m if the sidecar precedes the init, 200m if it follows. [KS#479, kubernetes/website#57373]",
  () => {
    const asking = (cpu: string) => ({ resources: { requests: { cpu } } });
    const sidecar = { ...asking("100m"), restartPolicy: "Always" };
    const requested = (initContainers: PodSpec["initContainers"]) => {
      const spec = { initContainers, containers: [asking("100m")] } as PodSpec;
      return solve({ pods: [pendingPod("p", { spec })] }).nodes.map(
        ({ object }) => object.spec.resources?.requests?.cpu,
      );
    };
    expect(requested([sidecar, asking("200m")])).toEqual(["300m"]);
    expect(requested([asking("200m"), sidecar])).toEqual(["200m"]);
  },
);

function onPort(
  hostPort: number,
  more: { readonly hostIP?: string; readonly protocol?: string } = {},
): Partial<PodSpec> {
  const ports = [{ containerPort: hostPort, hostPort, ...more }];
  return { containers: [{ ports, resources: { requests: { cpu: "100m" } } }] };
}

conforms(
  'B1.25 DS hostPort 8080 + Deployment hostPort 8080 -> infinite scale-up -> 0 nodes and a pod event "host port 8080 always taken by DaemonSet X". [KS#2083]',
  () => {
    const daemonSets = [daemonSetNamed("node-proxy", { spec: onPort(8080) })];
    const { plan } = solve({ pods: pendingPods(3, "web", { spec: onPort(8080) }), daemonSets });
    expect(plan.nodeClaims).toHaveLength(0);
    expectUnschedulable(
      plan,
      ["web-0", "web-1", "web-2"],
      /host port.*8080.*DaemonSet.*node-proxy|DaemonSet.*node-proxy.*host port.*8080/,
    );
  },
);

conforms(
  "B1.26 DS rolling update with hostPort: old and new pod seen as in conflict -> ignore the pod being replaced. [KA#4005]",
  () => {
    const daemonSets = [daemonSetNamed("agent", { cpu: "100m", spec: onPort(8080) })];
    const owner = { kind: "DaemonSet", uid: "agent" };
    const old = runningPod("agent-old", "n", {
      owner,
      spec: onPort(8080),
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    const pinned: Partial<PodSpec> = { ...onPort(8080), ...nodeTerms([[label.hostname, "In", "n"]]) };
    const successor = pendingPod("agent-new", { owner, spec: pinned });
    const nodes = [plainNode("n", { cpu: "4" })];
    // Nothing is launched for the new pod, and the node takes what it took before.
    const { plan, existing } = solve({
      nodes,
      daemonSets,
      pods: [old, successor, pendingPod("web", { cpu: "3800m" })],
    });
    expect(plan.nodeClaims).toHaveLength(0);
    expect(plan.unschedulable).toEqual([]);
    expect(existing).toEqual({ n: ["web"] });
  },
);

conforms(
  "B1.27 Two hostPort pods with different hostIP (10.0.0.1, 10.0.0.2), same port -> no conflict; 0.0.0.0 conflicts with both; TCP and UDP do not conflict. [K8s semantics; KS#2083 family]",
  () => {
    const nodesFor = (...specs: readonly Partial<PodSpec>[]) =>
      solve({ pods: specs.map((spec, index): Pod => pendingPod(`p-${index}`, { spec })) }).nodes.length;
    const one = onPort(8080, { hostIP: "10.0.0.1" });
    const two = onPort(8080, { hostIP: "10.0.0.2" });
    expect(nodesFor(one, two)).toBe(1);
    expect(nodesFor(one, one)).toBe(2);
    for (const all of [onPort(8080, { hostIP: "0.0.0.0" }), onPort(8080)]) {
      expect(nodesFor(one, all)).toBe(2);
      expect(nodesFor(one, two, all)).toBe(2);
    }
    expect(nodesFor(onPort(8080, { protocol: "TCP" }), onPort(8080, { protocol: "UDP" }))).toBe(1);
    // The same beside a pod that runs, and beside a DaemonSet's.
    const joins = (running: Partial<PodSpec>, wanted: Partial<PodSpec>) => {
      const pods = [runningPod("running", "n", { spec: running }), pendingPod("p", { spec: wanted })];
      return solve({ nodes: [plainNode("n")], pods }).existing.n !== undefined;
    };
    const everywhere = onPort(8080, { hostIP: "0.0.0.0" });
    expect([joins(one, two), joins(one, one), joins(one, everywhere), joins(everywhere, one)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const daemonSets = [daemonSetNamed("agent", { spec: one })];
    const beside = (spec: Partial<PodSpec>) => solve({ daemonSets, pods: [pendingPod("p", { spec })] }).nodes.length;
    expect([beside(two), beside(one), beside(everywhere)]).toEqual([1, 0, 0]);
  },
);
