import { describe, expect } from "vitest";
import { label } from "../../../shared/api/labels.ts";
import { conforms } from "../../support/conformance.ts";
import { nodeOverlay } from "../../support/node-overlays.ts";
import { nodePool, oneOf } from "../../support/node-pools.ts";
import {
  forLarge,
  forSpot,
  forZoneB,
  nothing,
  overlaid,
  plainPrices,
  plainTypes,
} from "../../support/overlaid-types.ts";

const poolA = [oneOf(label.nodePool, "a")];
const invalid = [{ key: label.zone, operator: "In" as const, values: [] }];

describe("the verdict on a NodeOverlay", () => {
  conforms(
    "overlay | none; single; runtime-invalid requirement or capacity (x4) | unchanged; ok; condition False",
    () => {
      const untouched = overlaid([]);
      expect(untouched.types()).toBe(plainTypes);
      expect(untouched.verdicts).toEqual([]);
      expect(overlaid([nodeOverlay("one", { price: "3" })]).faults).toEqual({});
      expect(overlaid([nodeOverlay("one", { price: "3", requirements: invalid })]).faults).toEqual({
        one: "RuntimeValidation",
      });
      const cpu = overlaid([nodeOverlay("one", { capacity: { cpu: "8" } })]);
      expect(cpu.faults).toEqual({ one: "RuntimeValidation" });
      expect(cpu.verdicts[0]?.fault?.message).toBe('spec.capacity.cpu: found "8", expected extended resources only');
      expect(cpu.types()).toBe(plainTypes);
    },
  );
});

describe("prices", () => {
  conforms(
    "overlay.apply | price and adjustment: weights, all pools, template labels, invalid, no overlap, types, capacity type, zone, several, weights, no partial use (x24) | exact prices per offering",
    () => {
      const changes = [
        { spec: { price: "3" }, change: () => 3 },
        { spec: { priceAdjustment: "+0.5" }, change: (price: number) => price + 0.5 },
        { spec: { priceAdjustment: "-50%" }, change: (price: number) => price / 2 },
        { spec: { priceAdjustment: "-0.5" }, change: (price: number) => Math.max(0, price - 0.5) },
        { spec: { priceAdjustment: "-100%" }, change: () => 0 },
      ];
      for (const { spec, change } of changes) checkPrices(spec, change);
    },
  );
});

/** Each of the row's cases with one kind of change. */
function checkPrices(
  spec: { readonly price?: string; readonly priceAdjustment?: string },
  change: (price: number) => number,
): void {
  const changed = (isTouched: (offering: string) => boolean) =>
    Object.fromEntries(
      Object.entries(plainPrices).map(([key, price]) => [
        key,
        isTouched(key) ? Number(change(price).toPrecision(12)) : price,
      ]),
    );
  const all = changed(() => true);
  const two = [nodePool("a", { labels: { team: "red" } }), nodePool("b")];

  // Of one NodePool, of all, by a label of the template.
  const ofPool = overlaid([nodeOverlay("one", { ...spec, requirements: poolA })], two);
  expect([ofPool.prices("a"), ofPool.prices("b")]).toEqual([all, plainPrices]);
  const ofAll = overlaid([nodeOverlay("one", spec)], two);
  expect([ofAll.prices("a"), ofAll.prices("b")]).toEqual([all, all]);
  const ofLabel = overlaid([nodeOverlay("one", { ...spec, requirements: [oneOf("team", "red")] })], two);
  expect([ofLabel.prices("a"), ofLabel.prices("b")]).toEqual([all, plainPrices]);

  // An invalid one, one that meets nothing, and one for a label that nobody defines.
  expect(overlaid([nodeOverlay("one", { ...spec, requirements: invalid })]).prices()).toEqual(plainPrices);
  expect(overlaid([nodeOverlay("one", { ...spec, requirements: nothing })]).prices()).toEqual(plainPrices);

  // By type, capacity type, zone, zone id.
  const pricesFor = (requirements: typeof forLarge) =>
    overlaid([nodeOverlay("one", { ...spec, requirements })]).prices();
  expect(pricesFor(forLarge)).toEqual(changed((key) => key.startsWith("m5.large/")));
  expect(pricesFor(forSpot)).toEqual(changed((key) => key.endsWith("/spot")));
  expect(pricesFor(forZoneB)).toEqual(changed((key) => key.includes("/b/")));
  expect(pricesFor([oneOf(label.zoneId, "az2")])).toEqual(changed((key) => key.includes("/b/")));

  // Several that do not meet, and the heavier where they do.
  const several = [
    nodeOverlay("large", { ...spec, requirements: forLarge, weight: 10 }),
    nodeOverlay("xlarge", { price: "7", requirements: [oneOf(label.instanceType, "m5.xlarge")], weight: 10 }),
  ];
  const expected = Object.entries(all).map(([key, price]) => [key, key.startsWith("m5.large/") ? price : 7]);
  expect(overlaid(several).prices()).toEqual(Object.fromEntries(expected));
  const weighty = [nodeOverlay("light", { price: "7", weight: 1 }), nodeOverlay("heavy", { ...spec, weight: 2 })];
  expect(overlaid(weighty).prices()).toEqual(all);
  expect(overlaid(weighty).faults).toEqual({});
  expect(overlaid(weighty.toReversed()).prices()).toEqual(all);

  // No partial use: "a" comes after "z" of the same weight, meets it in one pool, and is rejected in both.
  const z = nodeOverlay("z", { price: "7", requirements: [oneOf(label.nodePool, "b"), ...forSpot], weight: 5 });
  const a = nodeOverlay("a", { ...spec, weight: 5 });
  const conflicting = overlaid([a, z], two);
  expect(conflicting.faults).toEqual({ a: "Conflict" });
  expect(conflicting.prices("a")).toEqual(plainPrices);
  expect(conflicting.prices("b")).toEqual({ ...plainPrices, "m5.large/a/spot": 7, "m5.xlarge/a/spot": 7 });
}

const fuse = "smarter-devices/fuse";
const both = { "m5.large": 1, "m5.xlarge": 1 };

describe("capacity", () => {
  conforms(
    "overlay.capacity | pool-scoped, all pools, labels, invalid, none, types, merged, weights, no partial use (x12) | extended resources per type",
    () => {
      const capacity = { [fuse]: "1" };
      const two = [nodePool("a", { labels: { team: "red" } }), nodePool("b")];
      const given = (requirements: typeof forLarge) => {
        const result = overlaid([nodeOverlay("one", { capacity, requirements })], two);
        return [result.capacity(fuse, "a"), result.capacity(fuse, "b")];
      };
      expect(given(poolA)).toEqual([both, {}]);
      expect(given([])).toEqual([both, both]);
      expect(given([oneOf("team", "red")])).toEqual([both, {}]);
      expect(given([{ key: label.zone, operator: "In", values: [] }])).toEqual([{}, {}]);
      expect(given(nothing)).toEqual([{}, {}]);
      expect(given(forLarge)).toEqual([{ "m5.large": 1 }, { "m5.large": 1 }]);

      const other = "smarter-devices/snd";
      const merged = overlaid([
        nodeOverlay("fuse", { capacity, weight: 5 }),
        nodeOverlay("sound", { capacity: { [other]: "2" }, weight: 5 }),
      ]);
      expect([merged.capacity(fuse), merged.capacity(other)]).toEqual([both, { "m5.large": 2, "m5.xlarge": 2 }]);
      expect(merged.faults).toEqual({});

      const weighted = overlaid([
        nodeOverlay("light", { capacity: { [fuse]: "9", [other]: "3" }, weight: 1 }),
        nodeOverlay("heavy", { capacity, weight: 2 }),
      ]);
      expect([weighted.capacity(fuse), weighted.capacity(other)]).toEqual([both, { "m5.large": 3, "m5.xlarge": 3 }]);

      const conflicting = overlaid(
        [
          nodeOverlay("z", { capacity, requirements: poolA }),
          nodeOverlay("a", { capacity: { [fuse]: "9", [other]: "3" } }),
        ],
        two,
      );
      expect(conflicting.faults).toEqual({ a: "Conflict" });
      expect([conflicting.capacity(fuse, "a"), conflicting.capacity(fuse, "b")]).toEqual([both, {}]);
      expect([conflicting.capacity(other, "a"), conflicting.capacity(other, "b")]).toEqual([{}, {}]);
    },
  );

  conforms("overlay | price and capacity overlays hit one type | both applied", () => {
    const result = overlaid([
      nodeOverlay("price", { price: "3", requirements: forLarge }),
      nodeOverlay("capacity", { capacity: { [fuse]: "1" }, requirements: forLarge }),
    ]);
    expect(result.faults).toEqual({});
    expect(result.prices()).toMatchObject({ "m5.large/a/spot": 3, "m5.large/b/on-demand": 3, "m5.xlarge/a/spot": 0.8 });
    expect(result.capacity(fuse)).toEqual({ "m5.large": 1 });
  });
});
