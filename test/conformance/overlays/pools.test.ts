import { expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { overlayVerdicts, poolTypes } from "../../../shared/provisioning/pool-types.ts";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { conforms } from "../../support/conformance.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";
import { nodePool } from "../../support/node-pools.ts";
import { overlaid, plainTypes } from "../../support/overlaid-types.ts";
import { expectNodes, expectUnschedulable } from "../../support/plans.ts";
import { pendingPod } from "../../support/pods.ts";
import { snapshotWith, type World } from "../../support/snapshot.ts";

const overlay = nodeOverlay("one", { price: "3" });
const unreadable = [{ id: "ami-1", requirements: [{ key: label.arch, operator: "Like", values: ["arm64"] }] }];

function named(name: string, amis?: typeof unreadable) {
  const made = nodeClass({}, amis && { amis });
  return { ...made, metadata: { ...made.metadata, name } };
}

/** Prices of a pool's types, each once; or why there are none. */
function pricesIn(pool: string, world: World): readonly number[] | string {
  const snapshot = snapshotWith({ nodeOverlays: [overlay], ...world });
  const found = snapshot.nodeClasses.find(
    ({ metadata }) =>
      metadata.name ===
      snapshot.nodePools.find((one) => one.metadata.name === pool)?.spec.template.spec.nodeClassRef.name,
  );
  if (found === undefined) return "no class";
  const known = poolTypes(pool, found, snapshot);
  if ("reason" in known) return known.reason;
  return [...new Set(known.types.flatMap(({ offerings }) => offerings.map(({ priceUsdPerHour }) => priceUsdPerHour)))];
}

conforms("overlay | provider returns no types or an error (x2) | empty set", () => {
  expect(overlaid([overlay], [nodePool("default")], []).types()).toEqual([]);
  const broken = { nodeClasses: [named("default", unreadable)] };
  expect(pricesIn("default", broken)).toContain("has a requirement on kubernetes.io/arch");
  const snapshot = snapshotWith({ nodeOverlays: [overlay], pods: [pendingPod("p")], ...broken });
  const plan = planProvisioning(snapshot);
  expectUnschedulable(plan, ["p"], "has a requirement on kubernetes.io/arch");
  expect(plan.nodeClaims).toEqual([]);
  expect(overlayVerdicts(snapshot).map(({ fault }) => fault)).toEqual([undefined]);
});

conforms("overlay | result requirements | nodepool, nodeclass and template labels not leaked into the type", () => {
  const pools = [nodePool("default", { labels: { team: "red" } })];
  const priced = nodeOverlay("one", { price: "3", capacity: { "smarter-devices/fuse": "1" } });
  for (const type of overlaid([priced], pools).types()) {
    const plain = plainTypes.find(({ name }) => name === type.name);
    expect(type).not.toBe(plain);
    expect(type.requirements).toBe(plain?.requirements);
    expect(type.requirements.has(label.nodePool)).toBe(false);
    expect(type.requirements.has("team")).toBe(false);
  }
});

conforms(
  "overlay.isolation | one pool errors; store updated; requeue; recovery (x4) | healthy pools still evaluated",
  () => {
    const pools = [nodePool("broken", { nodeClass: "broken" }), nodePool("sound", { nodeClass: "sound" })];
    const broken: World = { pools, nodeClasses: [named("broken", unreadable), named("sound")] };
    // One NodePool errs: the other's types are overlaid, and its pods get their nodes.
    expect(pricesIn("broken", broken)).toContain("has a requirement on");
    expect(pricesIn("sound", broken)).toEqual([3]);
    const spec = { nodeSelector: { [label.nodePool]: "sound" } };
    const snapshot = snapshotWith({ nodeOverlays: [overlay], pods: [pendingPod("p", { spec })], ...broken });
    expectNodes(planProvisioning(snapshot), "m5.2xlarge in a: p");
    expect(overlayVerdicts(snapshot)).toMatchObject([{ overlay: { metadata: { name: "one" } } }]);
    expect(overlayVerdicts(snapshot)[0]?.fault).toBeUndefined();
    // A class that is not there at all is no worse.
    expect(pricesIn("sound", { pools, nodeClasses: [named("sound")] })).toEqual([3]);
    // Recovered: both are overlaid.
    const mended: World = { pools, nodeClasses: [named("broken"), named("sound")] };
    expect([pricesIn("broken", mended), pricesIn("sound", mended)]).toEqual([[3], [3]]);
  },
);
