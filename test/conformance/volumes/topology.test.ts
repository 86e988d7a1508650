import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import { nodeTerms, pendingPod } from "../../support/pods.ts";
import type { World } from "../../support/snapshot.ts";
import {
  affinityTo,
  boundClaim,
  claim,
  ephemeral,
  podWithClaims,
  storageClass,
  topologies,
  volumeOf,
} from "../../support/volumes.ts";

/** A world of one bound volume, by its claim `data` and as the ephemeral volume of the pod `p`. */
function withVolume(...volume: Parameters<typeof volumeOf> extends [string, ...infer Rest] ? Rest : never): World {
  return {
    persistentVolumeClaims: [boundClaim("data"), boundClaim("p-scratch")],
    persistentVolumes: [volumeOf("data", ...volume), volumeOf("p-scratch", ...volume)],
    storageClasses: [storageClass()],
  };
}

const byClaim = podWithClaims("p", ["data"]);
const byTemplate = pendingPod("p", { spec: ephemeral() });
const inZone = (zone: string) => ({ nodeSelector: { [label.zone]: zone } });
const hostname = affinityTo([label.hostname, "some-node"]);
const onNode = [{ local: { path: "/mnt/disk" } }, { hostPath: { path: "/mnt/disk" } }] as const;

function zonesOf(world: World): readonly string[] {
  const { nodes, unscheduled } = solve(world);
  expect(unscheduled).toEqual([]);
  return nodes.map(({ zone }) => zone);
}

function expectNone(world: World, reason: RegExp): void {
  const { plan } = solve(world);
  expect(plan.nodeClaims).toEqual([]);
  expectUnschedulable(plan, ["p"], reason);
}

conforms("vol.topo | PV with OR zones z1 / z2, pods pinned by other means | each zone usable", () => {
  const world = withVolume([], affinityTo([label.zone, "a"], [label.zone, "b"]));
  for (const zone of ["a", "b"]) {
    expect(zonesOf({ ...world, pods: [podWithClaims("p", ["data"], { spec: inZone(zone) })] })).toEqual([zone]);
    const pools = [nodePool("default", { requirements: [oneOf(label.zone, zone)] })];
    expect(zonesOf({ ...world, pods: [byClaim], pools })).toEqual([zone]);
  }
  expectNone({ ...world, pods: [podWithClaims("p", ["data"], { spec: inZone("c") })] }, /zone/);
});

conforms(
  "vol.topo | Local / HostPath PV with hostname-only term OR bad-zone term (x2) | hostname term acts as unconstrained; scheduled",
  () => {
    for (const source of onNode) {
      const terms = affinityTo([label.hostname, "some-node"], [label.zone, "nowhere"]);
      expect(zonesOf({ ...withVolume([], { ...source, ...terms }), pods: [byClaim] })).toHaveLength(1);
      const pinned = podWithClaims("p", ["data"], { spec: inZone("c") });
      expect(zonesOf({ ...withVolume([], { ...source, ...terms }), pods: [pinned] })).toEqual(["c"]);
    }
  },
);

conforms("vol.topo | StorageClass with two allowedTopologies | either zone", () => {
  const world = {
    persistentVolumeClaims: [claim("data")],
    storageClasses: [storageClass("gp3", topologies([label.zone, "a"], ["topology.ebs.csi.aws.com/zone", "b"]))],
  };
  expect(["a", "b"]).toContain(zonesOf({ ...world, pods: [byClaim] })[0]);
  for (const zone of ["a", "b"]) {
    expect(zonesOf({ ...world, pods: [podWithClaims("p", ["data"], { spec: inZone(zone) })] })).toEqual([zone]);
  }
  expectNone({ ...world, pods: [podWithClaims("p", ["data"], { spec: inZone("c") })] }, /zone/);
});

conforms("vol.topo | two PVCs whose alternatives agree only in one combination | that zone+label", () => {
  const racks = (...terms: readonly (readonly [zone: string, rack: string])[]) =>
    affinityTo(...terms.map(([zone, rack]) => [[label.zone, zone] as const, ["rack", rack] as const]));
  const { nodes } = solve({
    pods: [podWithClaims("p", ["data", "logs"])],
    pools: [nodePool("default", { requirements: [oneOf("rack", "1", "2", "3")] })],
    persistentVolumeClaims: [boundClaim("data"), boundClaim("logs")],
    persistentVolumes: [
      volumeOf("data", [], racks(["a", "1"], ["b", "2"], ["c", "3"])),
      volumeOf("logs", [], racks(["a", "2"], ["b", "2"], ["c", "1"])),
    ],
  });
  expect(nodes.map(({ zone, labels }) => [zone, labels.rack])).toEqual([["b", "2"]]);
});

conforms("prov.vol | class zones conflict with pod zone (PVC; ephemeral) (x2) | not scheduled", () => {
  const world = {
    persistentVolumeClaims: [claim("data")],
    storageClasses: [storageClass("gp3", topologies([label.zone, "a"]))],
  };
  const spec = inZone("b");
  expectNone({ ...world, pods: [podWithClaims("p", ["data"], { spec })] }, /zone/);
  expectNone({ ...world, pods: [pendingPod("p", { spec: { ...ephemeral(), ...spec } })] }, /zone/);
});

conforms("prov.vol | bound PV zone (PVC; ephemeral) (x2) | node in PV zone", () => {
  for (const pod of [byClaim, byTemplate]) {
    expect(zonesOf({ ...withVolume(["c"]), pods: [pod] })).toEqual(["c"]);
    expect(zonesOf({ ...withVolume(["b"]), pods: [pod] })).toEqual(["b"]);
  }
});

conforms("prov.vol | Local / HostPath PV hostname affinity, PVC and ephemeral (x4) | ignored, scheduled", () => {
  for (const source of onNode) {
    for (const pod of [byClaim, byTemplate]) {
      expect(zonesOf({ ...withVolume([], { ...source, ...hostname }), pods: [pod] })).toHaveLength(1);
    }
  }
});

conforms("prov.vol | other PV type with hostname affinity | honoured → not scheduled", () => {
  expectNone({ ...withVolume([], hostname), pods: [byClaim] }, /hostname/);
  expectNone(
    { ...withVolume([], { nfs: { server: "fs.example", path: "/" }, ...hostname }), pods: [byClaim] },
    /hostname/,
  );
});

conforms("prov.vol | PV zone incompatible (PVC; ephemeral) (x2) | not scheduled", () => {
  for (const pod of [byClaim, byTemplate]) {
    expectNone({ ...withVolume(["nowhere"]), pods: [pod] }, /zone/);
    const pools = [nodePool("default", { requirements: [oneOf(label.zone, "a")] })];
    expectNone({ ...withVolume(["b"]), pods: [pod], pools }, /zone/);
  }
});

conforms("prov.vol | pod OR-terms + volume zone | volume zone never relaxed away", () => {
  const terms = (...each: readonly string[]) => nodeTerms(...each.map((zone) => [[label.zone, "In", zone] as const]));
  const pod = (...zones: readonly string[]) => podWithClaims("p", ["data"], { spec: terms(...zones) });
  expect(zonesOf({ ...withVolume(["c"]), pods: [pod("a", "c")] })).toEqual(["c"]);
  expectNone({ ...withVolume(["c"]), pods: [pod("a", "b")] }, /zone/);
});
