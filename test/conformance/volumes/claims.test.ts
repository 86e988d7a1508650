import { expect } from "vitest";
import type { PersistentVolumeClaim } from "../../../shared/api/volume-claims.ts";
import { conforms } from "../../support/conformance.ts";
import { solve } from "../../support/karpenter-fixture.ts";
import { expectUnschedulable } from "../../support/plans.ts";
import type { World } from "../../support/snapshot.ts";
import { boundClaim, claim, podWithClaims, storageClass, topologies, volumeOf } from "../../support/volumes.ts";

const pods = [podWithClaims("p", ["data"])];
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

function expectRefused(world: World, reason: string): void {
  const { plan } = solve({ pods, storageClasses: [storageClass()], ...world });
  expect(plan.nodeClaims).toEqual([]);
  expectUnschedulable(plan, ["p"], reason);
}

function expectScheduled(world: World): void {
  const { nodes, unscheduled } = solve({ pods, storageClasses: [storageClass()], ...world });
  expect(unscheduled).toEqual([]);
  expect(nodes.map((node) => node.pods)).toEqual([["p"]]);
}

const classes = ["missing", ""] as const;

conforms("vol.reject | class or bound PV with unsupported driver (x2) | nothing launched", () => {
  const foreign = "pd.csi.storage.gke.io";
  const storageClasses = [storageClass("gp3", { provisioner: foreign })];
  expectRefused(
    { persistentVolumeClaims: [claim("data")], storageClasses },
    `StorageClass gp3 of PersistentVolumeClaim default/data`,
  );
  const persistentVolumes = [volumeOf("data", [], { csi: { driver: foreign, volumeHandle: "x" } })];
  expectRefused({ persistentVolumeClaims: [boundClaim("data")], persistentVolumes }, `is of the driver ${foreign}`);
});

conforms("vol.reject | class with unsupported topology key | not scheduled", () => {
  const storageClasses = [storageClass("gp3", topologies(["topology.gke.io/zone", "a"]))];
  expectRefused({ persistentVolumeClaims: [claim("data")], storageClasses }, "topology.gke.io/zone");
});

conforms("vol.reject | unbound + Immediate mode | not scheduled", () => {
  const immediate = { persistentVolumeClaims: [claim("data")] };
  const storageClasses = [storageClass("gp3", { volumeBindingMode: "Immediate" })];
  expectRefused({ ...immediate, storageClasses }, "binds at once (Immediate)");
  const { volumeBindingMode: _, ...unsaid } = storageClass();
  expectRefused({ ...immediate, storageClasses: [unsaid] }, "binds at once (Immediate)");
});

conforms("vol.reject | PVC deleting; PV deleting; PVC Lost (x3) | not scheduled", () => {
  expectRefused({ persistentVolumeClaims: [claim("data", {}, deleted)] }, "default/data is being deleted");
  const going = [volumeOf("data", [], {}, deleted)];
  expectRefused({ persistentVolumeClaims: [boundClaim("data")], persistentVolumes: going }, "is being deleted");
  const lost: PersistentVolumeClaim = { ...boundClaim("data"), status: { phase: "Lost" } };
  expectRefused({ persistentVolumeClaims: [lost], persistentVolumes: [volumeOf("data")] }, "phase Lost");
});

conforms("vol.bound | volumeName set without / with bind-completed annotation (x2) | not scheduled / scheduled", () => {
  const persistentVolumes = [volumeOf("data")];
  const half = claim("data", { volumeName: "pv-data" });
  expectRefused({ persistentVolumeClaims: [half], persistentVolumes }, "is not bound to it yet");
  expectScheduled({ persistentVolumeClaims: [boundClaim("data")], persistentVolumes });
});

conforms('vol.bound | bound to PV, class missing or "" (x2) | scheduled', () => {
  for (const storageClassName of classes) {
    const persistentVolumeClaims = [boundClaim("data", { storageClassName })];
    expectScheduled({ persistentVolumeClaims, persistentVolumes: [volumeOf("data")] });
  }
  const { storageClassName: _, ...spec } = boundClaim("data").spec;
  expectScheduled({ persistentVolumeClaims: [{ ...boundClaim("data"), spec }], persistentVolumes: [volumeOf("data")] });
});

conforms('vol.unbound | class missing or "" (x2) | not scheduled', () => {
  expectRefused(
    { persistentVolumeClaims: [claim("data", { storageClassName: "missing" })] },
    "StorageClass missing does not exist",
  );
  expectRefused({ persistentVolumeClaims: [claim("data", { storageClassName: "" })] }, "asks for no StorageClass");
  expectRefused({ persistentVolumeClaims: [{ ...claim("data"), spec: {} }] }, "names no StorageClass");
});

conforms("prov.vol | PVC name invalid | not scheduled", () => {
  expectRefused({ persistentVolumeClaims: [claim("other")] }, "PersistentVolumeClaim default/data does not exist");
  const elsewhere = claim("data", {}, { namespace: "other" });
  expectRefused({ persistentVolumeClaims: [elsewhere] }, "PersistentVolumeClaim default/data does not exist");
});

conforms('prov.vol | bound PVC with "" / missing class (x2) | scheduled', () => {
  for (const storageClassName of classes) {
    const { nodes } = solve({
      pods,
      persistentVolumeClaims: [boundClaim("data", { storageClassName })],
      persistentVolumes: [volumeOf("data", ["b"])],
    });
    expect(nodes.map(({ zone }) => zone)).toEqual(["b"]);
  }
});
