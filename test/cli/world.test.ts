import { describe, expect, it } from "vitest";
import { snapshotOf } from "../../cli/world.ts";
import type { RawObject } from "../../shared/api/raw-objects.ts";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { defaultSettings } from "../../shared/state/settings.ts";
import { loadedFrom, madeBy, podManifest, poolManifests, workloadManifest } from "../support/cli-manifests.ts";

function worldOf(manifests: readonly RawObject[], scales: readonly string[] = []) {
  const loaded = loadedFrom(...poolManifests(), ...manifests);
  return snapshotOf(loaded, { catalog: embeddedCatalog(), settings: defaultSettings, scales });
}

const podNames = (manifests: readonly RawObject[], scales: readonly string[] = []) =>
  worldOf(manifests, scales).snapshot.pods.map(({ name }) => name);

/** A running pod of a Deployment, by way of its ReplicaSet. */
const webPod = (suffix: string, changes: RawObject = {}) =>
  podManifest(
    `web-7f9-${suffix}`,
    { ...madeBy("ReplicaSet", "web-7f9", { app: "web", "pod-template-hash": "7f9" }), ...changes },
    { nodeName: "n1" },
    { phase: "Running" },
  );
const webReplicaSet = workloadManifest(
  "ReplicaSet",
  "web-7f9",
  { replicas: 2 },
  { metadata: madeBy("Deployment", "web") },
);

describe("the pods of a dump", () => {
  it("are not doubled: a Deployment whose pods are there adds none", () => {
    const dump = [workloadManifest("Deployment", "web", { replicas: 2 }), webReplicaSet, webPod("a"), webPod("b")];
    expect(podNames(dump)).toEqual(["web-7f9-a", "web-7f9-b"]);
  });

  it("are completed to the number that the workload wants", () => {
    const dump = [workloadManifest("Deployment", "web", { replicas: 3 }), webReplicaSet, webPod("a")];
    expect(podNames(dump)).toEqual(["web-7f9-a", "web-0", "web-1"]);
  });

  it("belong to their Deployment also when the ReplicaSet in between was not dumped", () => {
    expect(podNames([workloadManifest("Deployment", "web", { replicas: 1 }), webPod("a")])).toEqual(["web-7f9-a"]);
  });

  it("come from a ReplicaSet by itself when no Deployment made it", () => {
    expect(podNames([workloadManifest("ReplicaSet", "rs", { replicas: 2 })])).toEqual(["rs-0", "rs-1"]);
  });

  it("fill the gaps of a StatefulSet by name", () => {
    const running = podManifest("db-1", madeBy("StatefulSet", "db"), { nodeName: "n1" }, { phase: "Running" });
    expect(podNames([workloadManifest("StatefulSet", "db", { replicas: 3 }), running])).toEqual([
      "db-1",
      "db-0",
      "db-2",
    ]);
  });

  it("leave out those that have ended, and replace them", () => {
    const failed = podManifest("web-x", madeBy("Deployment", "web"), {}, { phase: "Failed" });
    expect(podNames([workloadManifest("Deployment", "web", { replicas: 1 }), failed])).toEqual(["web-0"]);
  });

  it("count a terminating pod as gone, but keep it in sight", () => {
    const leaving = webPod("a", { deletionTimestamp: "2026-05-01T00:00:00Z" });
    expect(podNames([workloadManifest("Deployment", "web", { replicas: 1 }), leaving])).toEqual(["web-7f9-a", "web-0"]);
  });

  it("are none for workloads that own one another in a circle", () => {
    const circle = ["a", "b"].map((name, index) =>
      workloadManifest("Deployment", name, {}, { metadata: madeBy("Deployment", index === 0 ? "b" : "a") }),
    );
    expect(podNames(circle)).toEqual([]);
  });
});

describe("--scale", () => {
  const web = workloadManifest("Deployment", "web", { replicas: 1 });

  it.each(["deployment/web=3", "deploy/web=3", "default/Deployment/web=3"])("takes %s", (scale) => {
    expect(podNames([web], [scale])).toHaveLength(3);
  });

  it("below what runs leaves out the pods that are least settled, with a note", () => {
    const pending = podManifest("web-7f9-z", madeBy("ReplicaSet", "web-7f9"));
    const { snapshot, notes } = worldOf([web, webReplicaSet, webPod("a"), pending], ["deployment/web=1"]);
    expect(snapshot.pods.map(({ name }) => name)).toEqual(["web-7f9-a"]);
    expect(notes).toEqual(["Deployment/default/web: scaled to 1, so 1 of its pods are left out"]);
  });

  it.each([
    ["deployment/wbe=3", "did you mean default/deployment/web?"],
    ["statefulset/web=3", "expected a workload of the input"],
    ["web=3", "[namespace/]kind/name=N"],
    ["service/web=3", "[namespace/]kind/name=N"],
    ["deployment/web=-1", "[namespace/]kind/name=N"],
    ["deployment/web=999999999", "at most 150000 pods"],
  ])("%s is a problem", (scale, text) => {
    const [problem] = worldOf([web], [scale]).problems;
    expect(`found ${problem?.found}, expected ${problem?.expected}`).toContain(text);
  });

  it("must say which namespace when several have such a workload", () => {
    const other = workloadManifest("Deployment", "web", {}, { metadata: { namespace: "shop" } });
    expect(worldOf([web, other], ["deployment/web=3"]).problems[0]?.expected).toBe(
      "one of default/deployment/web, shop/deployment/web",
    );
    expect(worldOf([web, other], ["shop/deployment/web=3"]).snapshot.pods).toHaveLength(4);
  });
});

describe("the world of some files", () => {
  it("stands at the newest time in them, and at a fixed one without any", () => {
    const old = podManifest("old", { creationTimestamp: "2025-01-01T00:00:00Z" });
    const young = podManifest("new", {}, {}, { phase: "Running", startTime: "2026-05-01T12:00:00Z" });
    expect(worldOf([old, young]).snapshot.now).toBe(Date.UTC(2026, 4, 1, 12));
    expect(worldOf([]).snapshot.now).toBe(worldOf([podManifest("a")]).snapshot.now);
  });

  it("gives pods the priority of their class", () => {
    const high = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "high" }, value: 77 };
    const { snapshot } = worldOf([high, podManifest("a", {}, { priorityClassName: "high" })]);
    expect(snapshot.pods[0]?.priority).toBe(77);
  });

  it("knows each namespace by its labels and by the label of its name", () => {
    const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "a" } } };
    const { namespaces } = worldOf([shop, podManifest("a")]).snapshot;
    expect(namespaces.get("shop")).toEqual({ team: "a", "kubernetes.io/metadata.name": "shop" });
    expect(namespaces.get("default")).toEqual({ "kubernetes.io/metadata.name": "default" });
  });

  it("has a problem when there is no NodePool, and when there are more pods than any cluster holds", () => {
    const options = { catalog: embeddedCatalog(), settings: defaultSettings, scales: [] };
    expect(snapshotOf(loadedFrom(podManifest("a")), options).problems[0]?.found).toBe("no NodePool");
    const huge = workloadManifest("Deployment", "huge", { replicas: 2_000_000_000 });
    expect(worldOf([huge]).problems[0]?.expected).toBe("at most 150000 pods in all");
  });
});
