import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import type { StorageClass } from "../../../shared/api/storage.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { claimedNode } from "../../support/nodes.ts";
import { expectAllPlaced } from "../../support/plans.ts";
import { pendingPod, pendingPods } from "../../support/pods.ts";
import type { World } from "../../support/snapshot.ts";
import {
  boundClaim,
  claim,
  claimed,
  csiNode,
  defaultClass,
  ephemeral,
  podWithClaims,
  storageClass,
  volumeOf,
} from "../../support/volumes.ts";

const node = claimedNode("first", { cpu: "16", labels: { [label.instanceType]: "standard1.xlarge" } });

/** An initialized node with plenty of room, whose driver attaches `limit` volumes. */
function oneNode(limit: number): World {
  return { nodes: [node.node], nodeClaims: [node.claim], csiNodes: [csiNode("first", limit)] };
}

function numbered(count: number, prefix: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** Pods on the first node and on others. */
function shares(world: World): readonly [first: number, newNodes: number, others: number] {
  const { plan, existing, nodes } = solve(world);
  expectAllPlaced(plan);
  const others = nodes.reduce((sum, { pods }) => sum + pods.length, 0);
  return [existing.first?.length ?? 0, nodes.length, others];
}

conforms("vol.limit | CSINode limit 10, ten pods x two PVCs | second node", () => {
  const pods = numbered(10, "db").map((name) => podWithClaims(name, [`${name}-a`, `${name}-b`], { cpu: "10m" }));
  const persistentVolumeClaims = numbered(10, "db").flatMap((name) => [claim(`${name}-a`), claim(`${name}-b`)]);
  const world = { ...oneNode(10), pods, persistentVolumeClaims, storageClasses: [storageClass()] };
  expect(shares(world)).toEqual([5, 1, 5]);
});

conforms("vol.limit | 100 pods one PVC | one node", () => {
  const shared = { persistentVolumeClaims: [claim("data")], storageClasses: [storageClass()] };
  const few = { ...shared, pods: pendingPods(4, "db", { cpu: "10m", spec: claimed("data") }) };
  expect(shares(few)).toEqual([0, 1, 4]);
  const room = claimedNode("first", { cpu: "16" });
  const capacity = { cpu: "16", memory: "64Gi", pods: "110" };
  const nodes = [{ ...room.node, status: { capacity, allocatable: capacity } }];
  const pods = pendingPods(100, "db", { cpu: "10m", spec: claimed("data") });
  const hundred = { ...shared, pods, nodes, nodeClaims: [room.claim], csiNodes: [csiNode("first", 10)] };
  expect(shares(hundred)).toEqual([100, 0, 0]);
});

conforms("vol.limit | NFS PV used twice | no failure, one node", () => {
  const files = volumeOf("files", [], { nfs: { server: "fs.example", path: "/" } });
  const world = {
    persistentVolumes: [files],
    persistentVolumeClaims: [boundClaim("files", { storageClassName: "" })],
    pods: pendingPods(2, "web", { cpu: "10m", spec: claimed("files") }),
  };
  expect(shares(world)).toEqual([0, 1, 2]);
  expect(shares({ ...world, ...oneNode(0) })).toEqual([2, 0, 0]);
});

conforms(
  "vol.ephemeral | named class / default class / newest default class, limit 1 (x3) | second pod on another node",
  () => {
    const unlimited = { provisioner: "files.csi.example.com" };
    const cases: readonly (readonly [spec: { storageClassName?: string }, classes: readonly StorageClass[]])[] = [
      [{ storageClassName: "gp3" }, [storageClass()]],
      [{}, [storageClass("other", unlimited), defaultClass("gp3")]],
      [{}, [defaultClass("gp2", "2025-01-01T00:00:00Z", unlimited), defaultClass("gp3", "2026-01-01T00:00:00Z")]],
    ];
    for (const [spec, storageClasses] of cases) {
      const pods = pendingPods(2, "web", { cpu: "10m", spec: ephemeral(spec) });
      expect(shares({ ...oneNode(1), pods, storageClasses })).toEqual([1, 1, 1]);
      const persistentVolumeClaims = ["web-0-scratch", "web-1-scratch"].map((name) => ({ ...claim(name), spec }));
      expect(shares({ ...oneNode(1), pods, storageClasses, persistentVolumeClaims })).toEqual([1, 1, 1]);
    }
  },
);

conforms(
  "vol.csi-migration | EBS in-tree PVC/PV; ephemeral in-tree class (x2) | counted against ebs.csi.aws.com limit; second node",
  () => {
    const inTree = storageClass("old", { provisioner: "kubernetes.io/aws-ebs" });
    const names = ["a", "b"];
    const bound = {
      pods: names.map((name) => podWithClaims(name, [name], { cpu: "10m" })),
      persistentVolumeClaims: names.map((name) => boundClaim(name, { storageClassName: "old" })),
      persistentVolumes: names.map((name) => volumeOf(name, [], { awsElasticBlockStore: { volumeID: `vol-${name}` } })),
    };
    const pods = names.map((name) => pendingPod(name, { cpu: "10m", spec: ephemeral({ storageClassName: "old" }) }));
    for (const world of [bound, { pods }]) {
      expect(shares({ ...oneNode(1), storageClasses: [inTree], ...world })).toEqual([1, 1, 1]);
      expect(shares({ ...oneNode(2), storageClasses: [inTree], ...world })).toEqual([2, 0, 0]);
    }
  },
);
