import { describe, expect, it } from "vitest";
import { snapshotOf } from "../../cli/world.ts";
import type { RawObject } from "../../shared/api/raw-objects.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { VolumeWorld } from "../../shared/state/volume-needs.ts";
import { loadedFrom, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { claim, csiNode, defaultClass, storageClass, volumeOf } from "../support/volumes.ts";

function worldOf(...manifests: readonly RawObject[]) {
  const loaded = loadedFrom(...poolManifests(), ...manifests);
  return snapshotOf(loaded, { catalog: embeddedCatalog(), settings: defaultSettings, scales: [] });
}

/** What each pod's volumes ask, by its name: the drivers that attach them, or why it must wait. */
function needsOf(...manifests: readonly RawObject[]): Readonly<Record<string, readonly string[]>> {
  const { snapshot } = worldOf(...manifests);
  const volumes = new VolumeWorld(snapshot);
  return Object.fromEntries(
    snapshot.pods.map((pod) => {
      const needs = volumes.volumeNeeds(pod);
      return [pod.name, needs.kind === "ready" ? needs.attachments.map(({ driver }) => driver) : [needs.reason]];
    }),
  );
}

const set = (templateSpec: RawObject = { storageClassName: "gp3" }, replicas = 2) =>
  workloadManifest("StatefulSet", "db", {
    replicas,
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: templateSpec }],
  });
const using = (claimName: string) =>
  podManifest("p", {}, { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] });
const ebs = "ebs.csi.aws.com";

describe("the storage of some files", () => {
  it("has the claims that a StatefulSet's pods will find, beside those that are there", () => {
    const { snapshot } = worldOf(set(), claim("data-db-0", { storageClassName: "io2" }), storageClass());
    expect(snapshot.persistentVolumeClaims.map(({ metadata, spec }) => [metadata.name, spec.storageClassName])).toEqual(
      [
        ["data-db-0", "io2"],
        ["data-db-1", "gp3"],
      ],
    );
  });

  it("takes classes that no file tells of as EBS volumes made where their pod runs, and says so", () => {
    expect(needsOf(set())).toEqual({ "db-0": [ebs], "db-1": [ebs] });
    expect(worldOf(set()).notes).toEqual([
      "StorageClass gp3 is not in the input: its volumes count as EBS volumes that are made where their pod runs (WaitForFirstConsumer)",
    ]);
  });

  it("takes a default class, too, where a claim names none", () => {
    const ephemeral = [{ name: "s", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "io2" } } } }];
    const manifests = [set({}, 1), podManifest("p", {}, { volumes: ephemeral })];
    expect(needsOf(...manifests)).toEqual({ "db-0": [ebs], p: [ebs] });
    expect(worldOf(...manifests).notes).toEqual([
      "StorageClass io2, default are not in the input: their volumes count as EBS volumes that are made where their pod runs (WaitForFirstConsumer)",
    ]);
  });

  it("is taken as it is where the files have a class", () => {
    expect(needsOf(set({ storageClassName: "io2" }, 1), storageClass("gp3"))).toEqual({
      "db-0": [
        "volume data: PersistentVolumeClaim default/data-db-0 is not bound and its StorageClass io2 does not exist",
      ],
    });
    expect(needsOf(set({}, 1), defaultClass("gp3"))).toEqual({ "db-0": [ebs] });
    expect(worldOf(set({}, 1), defaultClass("gp3")).notes).toEqual([]);
  });

  it("has no claims that nobody makes", () => {
    expect(needsOf(using("data"))).toEqual({ p: ["volume data: PersistentVolumeClaim default/data does not exist"] });
    expect(worldOf(using("data")).notes).toEqual([]);
  });

  it("holds what the files say of volumes and nodes", () => {
    const { snapshot } = worldOf(volumeOf("data", ["us-east-1a"]), csiNode("n", 5));
    expect(snapshot.persistentVolumes.map(({ metadata }) => metadata.name)).toEqual(["pv-data"]);
    expect(snapshot.csiNodes.map(({ metadata }) => metadata.name)).toEqual(["n"]);
  });
});
