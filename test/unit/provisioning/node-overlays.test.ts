import { describe, expect, it } from "vitest";
import { annotation, label } from "../../../shared/api/labels.ts";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import { plannedObject } from "../../../shared/controllers/planned-objects.ts";
import { claimOfferings } from "../../../shared/provisioning/claim-offerings.ts";
import { planProvisioning } from "../../../shared/provisioning/scheduler.ts";
import { planStaticCapacity } from "../../../shared/provisioning/static-capacity.ts";
import { nodeClaim } from "../../support/node-claims.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { expectTypes, expectUnschedulable } from "../../support/plans.ts";
import { pendingPod } from "../../support/pods.ts";
import { planFor, snapshotWith, type World } from "../../support/snapshot.ts";

const fuse = "smarter-devices/fuse";
const withFuse = { containers: [{ resources: { requests: { cpu: "1", [fuse]: "1" } } }] };
const large = [oneOf(label.instanceType, "m5.large")];
const xlarge = [oneOf(label.instanceType, "m5.xlarge")];

/** Annotations about overlays on the first NodeClaim of a plan. */
function overlayMarks(world: World) {
  const snapshot = snapshotWith(world);
  const plan = planProvisioning(snapshot);
  const [planned] = plan.nodeClaims;
  const annotations = planned && plannedObject(planned, { snapshot, plan }).metadata.annotations;
  return [annotations?.[annotation.priceOverlayApplied], annotations?.[annotation.capacityOverlayApplied]];
}

describe("NodeOverlays in planning", () => {
  it("decide what is cheapest", () => {
    const pods = [pendingPod("p", { cpu: "2" })];
    expectTypes(planFor({ pods }), "m5.large");
    expectTypes(
      planFor({ pods, nodeOverlays: [nodeOverlay("a", { price: "0.01", requirements: xlarge })] }),
      "m5.xlarge",
    );
    const free = planFor({
      pods,
      nodeOverlays: [nodeOverlay("a", { priceAdjustment: "-100%", requirements: xlarge })],
    });
    expectTypes(free, "m5.xlarge");
    expect(free.priceUsdPerHour).toBe(0);
    expect(free.instancesLowerBound.value).toBeCloseTo(0, 9);
  });

  it("give pods the devices that no type has by itself", () => {
    const pods = [pendingPod("p", { spec: withFuse })];
    expectUnschedulable(planFor({ pods }), ["p"], fuse);
    const nodeOverlays = [nodeOverlay("a", { capacity: { [fuse]: "1" }, requirements: xlarge })];
    expectTypes(planFor({ pods, nodeOverlays }), "m5.xlarge");
    const two = [...pods, pendingPod("q", { spec: withFuse })];
    expectTypes(planFor({ pods: two, nodeOverlays }), "m5.xlarge", "m5.xlarge");
  });

  it("hold for the NodePools that they name", () => {
    const nodeOverlays = [nodeOverlay("a", { price: "0.01", requirements: [oneOf(label.nodePool, "b"), ...xlarge] })];
    const pods = ["a", "b"].map((pool) =>
      pendingPod(pool, { cpu: "2", spec: { nodeSelector: { [label.nodePool]: pool } } }),
    );
    expectTypes(planFor({ pods, nodeOverlays, pools: [nodePool("a"), nodePool("b")] }), "m5.large", "m5.xlarge");
  });

  it("hold for static NodePools, with what others have to say against them", () => {
    const nodeOverlays = [nodeOverlay("a", { price: "0.01", requirements: xlarge })];
    const types = (world: World) =>
      planStaticCapacity(snapshotWith(world)).nodeClaims.map(({ offerings: [best] }) => best.instanceType);
    const pools = [nodePool("static", { replicas: 1 }), nodePool("dynamic")];
    expect(types({ pools, nodeOverlays })).toEqual(["m5.xlarge"]);
    const other = nodeOverlay("b", { price: "9", requirements: [oneOf(label.nodePool, "dynamic")] });
    expect(types({ pools, nodeOverlays: [...nodeOverlays, other] })).toEqual(["m5.large"]);
  });

  it("make a type without a list price one that can be bought", () => {
    const unpriced = [oneOf(label.instanceType, "x8aedz.large")];
    const world = {
      catalog: embeddedCatalog(),
      pools: [nodePool("default", { requirements: unpriced })],
      pods: [pendingPod("p")],
    };
    expectUnschedulable(planFor(world), ["p"], "price rules it out");
    const plan = planFor({ ...world, nodeOverlays: [nodeOverlay("a", { price: "0.5", requirements: unpriced })] });
    expectTypes(plan, "x8aedz.large");
    expect(plan.priceUsdPerHour).toBe(0.5);
  });

  it("are left out as a whole when another of the same weight comes first", () => {
    const overlays = ["a", "b"].map((name) =>
      nodeOverlay(name, { price: name === "a" ? "0.001" : "0.01", requirements: xlarge }),
    );
    const plan = planFor({ pods: [pendingPod("p", { cpu: "2" })], nodeOverlays: overlays });
    expectTypes(plan, "m5.xlarge");
    expect(plan.priceUsdPerHour).toBe(0.01);
  });
});

describe("NodeClaims of overlaid types", () => {
  const pods = [pendingPod("p", { cpu: "2" })];

  it("carry Karpenter's annotations, for price and capacity each", () => {
    expect(overlayMarks({ pods })).toEqual([undefined, undefined]);
    const price = nodeOverlay("a", { price: "0.05", requirements: large });
    const capacity = nodeOverlay("b", { capacity: { [fuse]: "1" }, requirements: large });
    expect(overlayMarks({ pods, nodeOverlays: [price] })).toEqual(["true", undefined]);
    expect(overlayMarks({ pods, nodeOverlays: [capacity] })).toEqual([undefined, "true"]);
    expect(overlayMarks({ pods, nodeOverlays: [price, capacity] })).toEqual(["true", "true"]);
  });

  it("carry none when no offering of theirs is overlaid", () => {
    const arm = nodeOverlay("a", { price: "9", requirements: [oneOf(label.arch, "arm64")] });
    const pools = [nodePool("default", { requirements: [oneOf(label.arch, "amd64")] })];
    expect(overlayMarks({ pods, pools, nodeOverlays: [arm] })).toEqual([undefined, undefined]);
  });

  it("are ranked at overlaid prices when they are launched later", () => {
    const claim = nodeClaim("before");
    const requirements = [oneOf(label.instanceType, "m5.large", "m5.xlarge"), oneOf(label.zone, "a")];
    const asking = { ...claim, spec: { ...claim.spec, requirements } };
    const nodeOverlays = [nodeOverlay("a", { price: "0.01", requirements: xlarge })];
    const ranked = claimOfferings(asking, snapshotWith({ nodeOverlays }));
    expect(ranked.map(({ instanceType, priceUsdPerHour }) => [instanceType, priceUsdPerHour])).toEqual([
      ["m5.xlarge", 0.01],
      ["m5.large", 0.1],
    ]);
  });
});
