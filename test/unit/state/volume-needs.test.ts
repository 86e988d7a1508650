import { describe, expect, it } from "vitest";
import type { Pod } from "../../../shared/api/core.ts";
import { label } from "../../../shared/api/labels.ts";
import { describeRequirement } from "../../../shared/scheduling/requirements.ts";
import { podRecord } from "../../../shared/state/pod-decoding.ts";
import { type VolumeNeeds, VolumeWorld } from "../../../shared/state/volume-needs.ts";
import { pendingPod, runningPod } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";
import {
  affinityTo,
  boundClaim,
  claim,
  claimed,
  defaultClass,
  ebs,
  ephemeral,
  podWithClaims,
  storageClass,
  topologies,
  volumeOf,
} from "../../support/volumes.ts";

const db = podWithClaims("db", ["data"]);

function needsOf(pod: Pod, world: World): VolumeNeeds {
  return new VolumeWorld(snapshotWith({ pods: [pod], ...world })).volumeNeeds(podRecord(pod));
}

/** The alternatives as text, each sorted by key. */
function placesOf(pod: Pod, world: World): readonly string[] {
  const needs = needsOf(pod, world);
  if (needs.kind === "refused") throw new Error(needs.reason);
  return needs.alternatives.map((each) => [...each.values()].map(describeRequirement).sort().join(" and "));
}

function driversOf(pod: Pod, world: World): readonly string[] {
  const needs = needsOf(pod, world);
  return needs.kind === "refused" ? [needs.reason] : needs.attachments.map(({ driver }) => driver);
}

function refusalOf(pod: Pod, world: World): string | undefined {
  const needs = needsOf(pod, world);
  return needs.kind === "refused" ? needs.reason : undefined;
}

const bound = (...volumes: Parameters<typeof volumeOf>[]): World => ({
  persistentVolumeClaims: volumes.map(([name]) => boundClaim(name)),
  persistentVolumes: volumes.map((each) => volumeOf(...each)),
});

const hostname = [label.hostname, "node-1"] as const;

describe("where a pod's volumes let it run", () => {
  it("is anywhere without claims, and of no weight for its class", () => {
    const needs = needsOf(pendingPod("a", { spec: { volumes: [{ name: "tmp" }] } }), {});
    expect(needs).toEqual({ kind: "ready", alternatives: [new Map()], attachments: [], key: "" });
  });

  it("is the zone of a bound volume, whatever its class says now", () => {
    expect(placesOf(db, bound(["data", ["b"]]))).toEqual([`${label.zone} In [b]`]);
    const driverName = affinityTo(["topology.ebs.csi.aws.com/zone", "c"]);
    expect(placesOf(db, bound(["data", [], driverName]))).toEqual([`${label.zone} In [c]`]);
  });

  it("takes terms that differ in the values of one label together", () => {
    expect(placesOf(db, bound(["data", [], affinityTo([label.zone, "a"], [label.zone, "c"])]))).toEqual([
      `${label.zone} In [a, c]`,
    ]);
    const classes = { storageClasses: [storageClass("gp3", topologies([label.zone, "b"], [label.zone, "a"]))] };
    expect(placesOf(db, { persistentVolumeClaims: [claim("data")], ...classes })).toEqual([`${label.zone} In [a, b]`]);
  });

  it("is one of the combinations of several volumes that do not contradict each other", () => {
    const places = placesOf(
      podWithClaims("db", ["data", "logs"]),
      bound(
        [
          "data",
          [],
          affinityTo(
            [
              [label.zone, "a"],
              ["rack", "1"],
            ],
            [
              [label.zone, "b"],
              ["rack", "2"],
            ],
          ),
        ],
        [
          "logs",
          [],
          affinityTo(
            [
              [label.zone, "b"],
              ["rack", "2"],
            ],
            [
              [label.zone, "c"],
              ["rack", "1"],
            ],
          ),
        ],
      ),
    );
    expect(places).toEqual([`rack In [2] and ${label.zone} In [b]`]);
  });

  it("is nowhere when no combination is possible, which names the claims that are at odds", () => {
    const pod = podWithClaims("db", ["any", "data", "logs"]);
    expect(refusalOf(pod, bound(["any"], ["data", ["a"]], ["logs", ["b"]]))).toBe(
      `volumes data and logs: no node can reach the volumes of PersistentVolumeClaims default/data (${label.zone} In [a]) and default/logs (${label.zone} In [b]) at once`,
    );
  });

  it("is nowhere when two of its volumes together leave no place for a third, which names all three", () => {
    const racks = (...pairs: readonly (readonly [string, string])[]) =>
      affinityTo(...pairs.map(([zone, rack]) => [[label.zone, zone] as const, ["rack", rack] as const]));
    const world = bound(
      ["a", [], racks(["z1", "r1"], ["z2", "r2"])],
      ["b", ["z1"]],
      ["c", [], affinityTo(["rack", "r2"])],
    );
    expect(refusalOf(podWithClaims("db", ["a", "b", "c"]), world)).toMatch(/^volumes a, b and c: no node can reach/);
  });

  it("follows the labels that older provisioners put on volumes, several zones joined by two underscores", () => {
    const labels = { "failure-domain.beta.kubernetes.io/zone": "a__b", [label.region]: "test", team: "x" };
    expect(placesOf(db, bound(["data", [], {}, { labels }]))).toEqual([
      `${label.region} In [test] and ${label.zone} In [a, b]`,
    ]);
  });

  it.each([
    ["local", { local: { path: "/mnt" } }],
    ["hostPath", { hostPath: { path: "/mnt" } }],
  ])("forgets the hostname of a %s volume, and keeps the rest", (_kind, source) => {
    expect(placesOf(db, bound(["data", [], { ...source, ...affinityTo([...hostname]) }]))).toEqual([""]);
    const both = affinityTo([[...hostname], [label.zone, "b"]]);
    expect(placesOf(db, bound(["data", [], { ...source, ...both }]))).toEqual([`${label.zone} In [b]`]);
  });

  it("keeps the hostname of any other volume", () => {
    expect(placesOf(db, bound(["data", [], affinityTo([...hostname])]))).toEqual([`${label.hostname} In [node-1]`]);
  });

  it("is where the class of a claim to come may make volumes, the default class too", () => {
    const storageClasses = [
      defaultClass("gp2", "2025-01-01T00:00:00Z", topologies([label.zone, "a"])),
      defaultClass("gp3", "2026-01-01T00:00:00Z", topologies([label.zone, "b"])),
      storageClass("io2", topologies([label.zone, "c"])),
    ];
    const nameless = { ...claim("data"), spec: {} };
    expect(placesOf(db, { persistentVolumeClaims: [nameless], storageClasses })).toEqual([`${label.zone} In [b]`]);
    const named = claim("data", { storageClassName: "io2" });
    expect(placesOf(db, { persistentVolumeClaims: [named], storageClasses })).toEqual([`${label.zone} In [c]`]);
    expect(placesOf(pendingPod("p", { spec: ephemeral({}) }), { storageClasses })).toEqual([`${label.zone} In [b]`]);
  });

  it("counts an ephemeral volume whose claim is still to be made as one that waits, whatever its class", () => {
    const pod = pendingPod("p", { spec: ephemeral() });
    const immediate = storageClass("gp3", { volumeBindingMode: "Immediate", ...topologies([label.zone, "a"]) });
    expect(placesOf(pod, { storageClasses: [immediate] })).toEqual([`${label.zone} In [a]`]);
    const made = { persistentVolumeClaims: [claim("p-scratch")], storageClasses: [immediate] };
    expect(refusalOf(pod, made)).toMatch(/^volume scratch: PersistentVolumeClaim default\/p-scratch is not bound yet/);
  });
});

describe("what a pod's volumes take of its node", () => {
  it("is an attachment of the driver that made or will make them", () => {
    const storageClasses = [storageClass(), storageClass("old", { provisioner: "kubernetes.io/aws-ebs" })];
    const persistentVolumeClaims = [claim("data"), claim("logs", { storageClassName: "old" }), boundClaim("old")];
    const persistentVolumes = [volumeOf("old", [], { awsElasticBlockStore: { volumeID: "vol-1" } })];
    const pod = podWithClaims("db", ["data", "logs", "old", "data"]);
    expect(needsOf(pod, { storageClasses, persistentVolumeClaims, persistentVolumes })).toMatchObject({
      attachments: ["data", "logs", "old"].map((name) => ({ driver: ebs, claim: `default/${name}` })),
    });
  });

  it("is nothing for volumes that nobody attaches", () => {
    expect(driversOf(db, bound(["data", [], { nfs: { server: "files", path: "/" } }]))).toEqual([]);
    const byHand = storageClass("gp3", { provisioner: "kubernetes.io/no-provisioner" });
    expect(driversOf(db, { persistentVolumeClaims: [claim("data")], storageClasses: [byHand] })).toEqual([]);
  });

  it("is seen of a pod that runs even when its claim is on the way out", () => {
    const gone = {
      ...boundClaim("data"),
      metadata: { ...claim("data").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    };
    const pod = runningPod("db", "node-1", { spec: claimed("data") });
    const world = new VolumeWorld(
      snapshotWith({ pods: [pod], persistentVolumeClaims: [gone], storageClasses: [storageClass()] }),
    );
    expect(world.attachmentsOf(podRecord(pod))).toEqual([{ driver: ebs, claim: "default/data" }]);
    expect(world.volumeNeeds(podRecord(pod)).kind).toBe("refused");
  });

  it("makes one class of pods that differ by the names of their own claims, and not of those that share one", () => {
    const pods = [
      podWithClaims("a", ["a"]),
      podWithClaims("b", ["b"]),
      podWithClaims("c", ["s"]),
      podWithClaims("d", ["s"]),
    ];
    const persistentVolumeClaims = ["a", "b", "s"].map((name) => claim(name));
    const world = new VolumeWorld(snapshotWith({ pods, persistentVolumeClaims, storageClasses: [storageClass()] }));
    const keys = pods.map((pod) => {
      const needs = world.volumeNeeds(podRecord(pod));
      return needs.kind === "ready" ? needs.key : needs.reason;
    });
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).toBe(keys[3]);
    expect(keys[0]).not.toBe(keys[2]);
    expect([world.isShared("default/a"), world.isShared("default/s")]).toEqual([false, true]);
  });
});

describe("a pod must wait", () => {
  const storageClasses = [storageClass()];
  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  const worlds: readonly (readonly [string, World, string])[] = [
    ["for a claim that is missing", {}, "PersistentVolumeClaim default/data does not exist"],
    [
      "for a claim that is going",
      { persistentVolumeClaims: [claim("data", {}, deleted)], storageClasses },
      "PersistentVolumeClaim default/data is being deleted",
    ],
    [
      "for a claim that has lost its volume",
      { persistentVolumeClaims: [{ ...boundClaim("data"), status: { phase: "Lost" } }], storageClasses },
      "PersistentVolumeClaim default/data has lost its volume (phase Lost)",
    ],
    [
      "for a binding that is not complete",
      { persistentVolumeClaims: [claim("data", { volumeName: "pv-data" })], persistentVolumes: [volumeOf("data")] },
      "PersistentVolumeClaim default/data asks for PersistentVolume pv-data but is not bound to it yet",
    ],
    [
      "for a volume that is missing",
      { persistentVolumeClaims: [boundClaim("data")] },
      "PersistentVolume pv-data, to which PersistentVolumeClaim default/data is bound, does not exist",
    ],
    [
      "for a volume that is going",
      bound(["data", [], {}, deleted]),
      "PersistentVolume pv-data, to which PersistentVolumeClaim default/data is bound, is being deleted",
    ],
    [
      "for a default class",
      { persistentVolumeClaims: [{ ...claim("data"), spec: {} }], storageClasses },
      "PersistentVolumeClaim default/data is not bound and names no StorageClass, and none is marked as the default",
    ],
    [
      "for a volume made by hand",
      { persistentVolumeClaims: [claim("data", { storageClassName: "" })], storageClasses: [defaultClass("gp3")] },
      "PersistentVolumeClaim default/data is not bound and asks for no StorageClass: a volume must be made for it by hand",
    ],
    [
      "for a class that is missing",
      { persistentVolumeClaims: [claim("data")] },
      "PersistentVolumeClaim default/data is not bound and its StorageClass gp3 does not exist",
    ],
    [
      "for a class that binds at once",
      {
        persistentVolumeClaims: [claim("data")],
        storageClasses: [storageClass("gp3", { volumeBindingMode: "Immediate" })],
      },
      "PersistentVolumeClaim default/data is not bound yet, and its StorageClass gp3 binds at once (Immediate): its zone is known only then",
    ],
    [
      "for ever, if its class makes disks of another cloud",
      {
        persistentVolumeClaims: [claim("data")],
        storageClasses: [storageClass("gp3", { provisioner: "kubernetes.io/gce-pd" })],
      },
      "StorageClass gp3 of PersistentVolumeClaim default/data is of the driver pd.csi.storage.gke.io, whose volumes no EC2 instance can attach",
    ],
    [
      "for ever, if its volume is a disk of another cloud",
      bound(["data", [], { csi: { driver: "disk.csi.azure.com", volumeHandle: "x" } }]),
      "PersistentVolume pv-data, to which PersistentVolumeClaim default/data is bound, is of the driver disk.csi.azure.com, whose volumes no EC2 instance can attach",
    ],
    ...(
      [
        ["gcePersistentDisk", "pd.csi.storage.gke.io"],
        ["azureDisk", "disk.csi.azure.com"],
        ["cinder", "cinder.csi.openstack.org"],
        ["vsphereVolume", "csi.vsphere.vmware.com"],
      ] as const
    ).map(([field, driver]): (typeof worlds)[number] => [
      `for ever, if its volume is a ${field}`,
      { ...bound(["data"]), persistentVolumes: [volumeOf("data", [], { [field]: {} })] },
      `PersistentVolume pv-data, to which PersistentVolumeClaim default/data is bound, is of the driver ${driver}, whose volumes no EC2 instance can attach`,
    ]),
  ];
  it("for ever, if it names a disk of another cloud itself", () => {
    const spec = { volumes: [{ name: "disk", gcePersistentDisk: {} }] };
    expect(refusalOf(pendingPod("p", { spec }), {})).toBe(
      "volume disk: it is of the driver pd.csi.storage.gke.io, whose volumes no EC2 instance can attach",
    );
  });

  it.each(worlds)("%s", (_title, world, reason) => {
    expect(refusalOf(db, world)).toBe(`volume data: ${reason}`);
  });

  it("while the claim of its ephemeral volume belongs to somebody else", () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "other", uid: "other", controller: true };
    const persistentVolumeClaims = [claim("p-scratch", {}, { ownerReferences: [owner] })];
    expect(refusalOf(pendingPod("p", { spec: ephemeral() }), { persistentVolumeClaims, storageClasses })).toBe(
      "volume scratch: PersistentVolumeClaim default/p-scratch belongs to Pod other, not to the pod",
    );
  });

  it("while another pod has a claim that is for one pod alone, unless that one is about to end", () => {
    const world = { persistentVolumeClaims: [claim("data", { accessModes: ["ReadWriteOncePod"] })], storageClasses };
    const other = runningPod("other", "node-1", { spec: claimed("data") });
    const reason = "volume data: PersistentVolumeClaim default/data is ReadWriteOncePod, and pod default/other uses it";
    expect(refusalOf(db, { ...world, pods: [db, other] })).toBe(reason);
    expect(refusalOf(other, { ...world, pods: [db, other] })).toBeUndefined();
    const ending = { ...other, metadata: { ...other.metadata, ...deleted } };
    expect(refusalOf(db, { ...world, pods: [db, ending] })).toBeUndefined();
    const waiting = podWithClaims("a", ["data"]);
    expect(refusalOf(db, { ...world, pods: [db, waiting] })).toContain("pod default/a uses it");
    expect(refusalOf(waiting, { ...world, pods: [db, waiting] })).toBeUndefined();
  });
});
