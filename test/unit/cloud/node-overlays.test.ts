import { describe, expect, it } from "vitest";
import { awsGroup, label } from "../../../shared/api/labels.ts";
import { embeddedCatalog } from "../../../shared/cloud/embedded-catalog.ts";
import type { InstanceType } from "../../../shared/cloud/instance-type.ts";
import { instanceTypesFor, withoutUnavailable } from "../../../shared/cloud/instance-types.ts";
import { nodeClass } from "../../support/node-classes.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import { forLarge, forSpot, overlaid, plainTypes } from "../../support/overlaid-types.ts";

const fuse = "smarter-devices/fuse";

function messages(...overlays: readonly ReturnType<typeof nodeOverlay>[]): readonly string[] {
  return overlaid(overlays).verdicts.flatMap(({ fault }) => fault?.message ?? []);
}

describe("a conflict of NodeOverlays", () => {
  it("names the other, the offering and the NodePool", () => {
    const b = nodeOverlay("b", { price: "3", requirements: forSpot, weight: 7 });
    expect(messages(nodeOverlay("a", { priceAdjustment: "+1%", weight: 7 }), b)).toEqual([
      "NodeOverlay b of the same weight, 7, also sets the price of m5.large/a/spot in NodePool default",
    ]);
  });

  it("names the resource and the type, and takes no weight for 0", () => {
    const capacity = { [fuse]: "1" };
    expect(messages(nodeOverlay("a", { capacity }), nodeOverlay("b", { capacity, requirements: forLarge }))).toEqual([
      "NodeOverlay b of the same weight, 0, also sets the capacity smarter-devices/fuse of m5.large in NodePool default",
    ]);
  });

  it("is one also where both are outdone by a heavier one", () => {
    const overlays = [
      nodeOverlay("heavy", { price: "1", weight: 9 }),
      nodeOverlay("b", { price: "2", weight: 1 }),
      nodeOverlay("a", { price: "3", weight: 1 }),
    ];
    expect(overlaid(overlays).faults).toEqual({ a: "Conflict" });
  });

  it("is none between a price and a capacity, or between different resources", () => {
    const overlays = [
      nodeOverlay("a", { price: "1" }),
      nodeOverlay("b", { capacity: { [fuse]: "1" } }),
      nodeOverlay("c", { capacity: { "example.com/other": "1" } }),
    ];
    expect(overlaid(overlays).faults).toEqual({});
  });

  it("is the same whatever the order of the lists", () => {
    const overlays = ["a", "b", "c"].map((name) => nodeOverlay(name, { price: "1" }));
    const pools = ["x", "y"].map((name) => nodePool(name));
    const { verdicts } = overlaid(overlays, pools);
    expect(overlaid(overlays.toReversed(), pools.toReversed()).verdicts).toEqual(verdicts);
  });
});

describe("types that no NodeOverlay touches", () => {
  it("stay the same objects, and so does the list where none is touched", () => {
    const { types } = overlaid([nodeOverlay("a", { price: "1", requirements: forLarge })]);
    expect(types()[0]).not.toBe(plainTypes[0]);
    expect(types()[1]).toBe(plainTypes[1]);
    expect(plainTypes[0]?.offerings.every(({ priceOverlaid }) => priceOverlaid === undefined)).toBe(true);
    expect(overlaid([nodeOverlay("a", { requirements: forLarge })]).types()).toBe(plainTypes);
  });

  it("keep the offerings that it is not for", () => {
    const [large] = overlaid([nodeOverlay("a", { price: "1", requirements: forSpot })]).types();
    expect(
      large?.offerings.filter(({ priceOverlaid }) => priceOverlaid).map(({ capacityType }) => capacityType),
    ).toEqual(["spot"]);
    expect(large?.capacityOverlaid).toBeUndefined();
  });
});

describe("a price for a type that has none", () => {
  const types = instanceTypesFor(embeddedCatalog(), nodeClass(), {
    ...{ vmMemoryOverheadPercent: 0.075, reservedEnis: 0, unavailable: [], now: 0 },
  });
  const unpriced = "x8aedz.large";
  const requirements = [oneOf(label.instanceType, unpriced)];
  const offeringsOf = (list: readonly InstanceType[]) =>
    list.find(({ name }) => name === unpriced)?.offerings.filter(({ available }) => available) ?? [];

  it("makes it available where it could be launched", () => {
    expect(offeringsOf(types)).toEqual([]);
    const priced = overlaid([nodeOverlay("a", { price: "0.5", requirements })], undefined, types).types();
    expect(offeringsOf(priced)).toHaveLength(6);
    expect(new Set(offeringsOf(priced).map(({ priceUsdPerHour }) => priceUsdPerHour))).toEqual(new Set([0.5]));
  });

  it("does not bring back what EC2 refuses", () => {
    const priced = overlaid([nodeOverlay("a", { price: "0.5", requirements })], undefined, types).types();
    const mark = { instanceType: unpriced, zone: "us-east-1a", capacityType: "*", untilAt: 1, times: 1, code: "X" };
    expect(offeringsOf(withoutUnavailable(priced, [mark], 0))).toHaveLength(5);
  });

  it("is no change of a price that is unknown", () => {
    const adjusted = overlaid([nodeOverlay("a", { priceAdjustment: "-10%", requirements })], undefined, types).types();
    expect(offeringsOf(adjusted)).toEqual([]);
  });

  it("reaches no zone without a subnet", () => {
    const status = { subnets: [{ id: "subnet-b", zone: "us-east-1b" }] };
    const inOneZone = instanceTypesFor(embeddedCatalog(), nodeClass({}, status), {
      ...{ vmMemoryOverheadPercent: 0.075, reservedEnis: 0, unavailable: [], now: 0 },
    });
    const priced = overlaid([nodeOverlay("a", { price: "0.5", requirements })], undefined, inOneZone).types();
    expect(offeringsOf(priced).map(({ zone }) => zone)).toEqual(["us-east-1b"]);
  });
});

describe("a NodeOverlay's capacity", () => {
  it("takes huge pages out of the memory that pods may ask for", () => {
    const [plain] = plainTypes;
    const [large] = overlaid([nodeOverlay("a", { capacity: { "hugepages-2Mi": "1Gi" } })]).types();
    expect(large?.allocatable["hugepages-2Mi"]).toBe(2 ** 30);
    expect(large?.allocatable.memory).toBe((plain?.allocatable.memory ?? 0) - 2 ** 30);
    expect(large?.capacity.memory).toBe(plain?.capacity.memory);
  });

  it("takes the place of what the type has", () => {
    const types = plainTypes.map((type) => ({ ...type, capacity: { ...type.capacity, [fuse]: 1 } }));
    expect(overlaid([nodeOverlay("a", { capacity: { [fuse]: "4" } })], undefined, types).capacity(fuse)).toEqual({
      "m5.large": 4,
      "m5.xlarge": 4,
    });
  });
});

describe("a NodeOverlay's requirements", () => {
  it("are met by labels that are there, and not by those left open", () => {
    const touched = (...requirements: readonly ReturnType<typeof oneOf>[]) =>
      overlaid([nodeOverlay("a", { price: "9", requirements: [...requirements] })]).prices()["m5.large/a/spot"] === 9;
    expect(touched(oneOf("team", "red"))).toBe(false);
    expect(touched({ key: "team", operator: "NotIn", values: ["red"] })).toBe(true);
    expect(touched({ key: "team", operator: "DoesNotExist" })).toBe(true);
    expect(touched({ key: "team", operator: "Exists" })).toBe(false);
    expect(touched({ key: `${awsGroup}/instance-cpu`, operator: "Lt", values: ["4"] })).toBe(true);
    expect(touched({ key: `${awsGroup}/instance-cpu`, operator: "Gte", values: ["4"] })).toBe(false);
    expect(touched({ key: `${awsGroup}/instance-gpu-count`, operator: "Exists" })).toBe(false);
  });

  it("are asked of a template's label and the type together", () => {
    const pools = [nodePool("default", { labels: { [label.zone]: "a" } })];
    const prices = (zone: string) =>
      overlaid([nodeOverlay("a", { price: "9", requirements: [oneOf(label.zone, zone)] })], pools).prices();
    expect(prices("a")["m5.large/a/spot"]).toBe(9);
    expect(prices("b")["m5.large/b/on-demand"]).toBe(1);
  });
});
