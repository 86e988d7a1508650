import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { embeddedCatalog } from "../../shared/cloud/embedded-catalog.ts";
import { metric } from "../../shared/metrics.ts";
import { catalogWorld } from "../support/memory-catalog.ts";

const offers = ["zones", "instanceTypes", "zonesByType", "onDemandPrices", "spotPrices"];
const minute = 60;
const hour = 60 * minute;

describe("refreshCatalog", () => {
  it("publishes everything that EC2 sells, so that planning reads it as it was", async () => {
    const world = catalogWorld();
    await world.refresh();
    const { types, ...catalog } = await world.read();
    const { types: sold, ...region } = world.region.catalog;
    expect(catalog).toEqual(region);
    expect(types).toEqual([...sold].sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it("reads spot prices each ten minutes, and the rest twice a day", async () => {
    const world = catalogWorld();
    await world.refresh();
    expect(world.region.calls.splice(0)).toEqual(offers);
    await world.advance(9 * minute);
    await world.refresh();
    expect(world.region.calls).toEqual([]);
    await world.advance(minute);
    await world.refresh();
    expect(world.region.calls.splice(0)).toEqual(["spotPrices"]);
    await world.advance(12 * hour);
    await world.refresh();
    expect(world.region.calls.splice(0)).toEqual(offers);
  });

  it("keeps the last good part when EC2 fails, says since when and why, and tries again after five minutes", async () => {
    const world = catalogWorld();
    await world.refresh();
    const before = await world.read();
    world.region.failing.set("instanceTypes", "RequestLimitExceeded");
    world.region.failing.set("spotPrices", "UnauthorizedOperation");
    await world.advance(12 * hour);
    await world.refresh();
    expect((await world.read()).types).toBe(before.types);
    expect((await world.read()).spotPrices).toBe(before.spotPrices);
    expect(JSON.parse(world.stored()?.data?.types ?? "")).toEqual({
      readAt: "2026-11-30T12:00:00.000Z",
      triedAt: "2026-12-01T00:00:00.000Z",
      error: "instanceTypes: RequestLimitExceeded",
    });
    expect(world.telemetry.total(metric.catalogFailures)).toBe(2);
    expect(world.telemetry.total(metric.catalogAgeSeconds)).toBe(2 * 12 * hour);
    world.region.failing.clear();
    world.region.calls.length = 0;
    await world.advance(4 * minute);
    await world.refresh();
    expect(world.region.calls).toEqual([]);
    await world.advance(minute);
    await world.refresh();
    expect(world.region.calls).toEqual(["instanceTypes", "spotPrices"]);
    expect(JSON.parse(world.stored()?.data?.types ?? "")).not.toHaveProperty("error");
  });

  it("takes an empty answer for none", async () => {
    const world = catalogWorld();
    await world.refresh();
    const before = await world.read();
    world.region.catalog = { ...world.region.catalog, types: [], spotPrices: new Map() };
    await world.advance(12 * hour);
    await world.refresh();
    expect((await world.read()).types).toBe(before.types);
    expect((await world.read()).spotPrices).toBe(before.spotPrices);
  });

  it("leaves on-demand prices to the embedded ones where no price list may be asked, which is no failure", async () => {
    const world = catalogWorld();
    world.region.failing.set("onDemandPrices", "NoPriceList");
    await world.refresh();
    expect((await world.read()).onDemandPrices).toBe(embeddedCatalog("us-east-1").onDemandPrices);
    expect(world.telemetry.total(metric.catalogFailures)).toBe(0);
    expect(world.stored()?.data?.onDemandPrices).toContain("NoPriceList");
  });

  it("reads again what it cannot read in the cluster", async () => {
    const world = catalogWorld();
    await world.refresh();
    const foreign = gzipSync(JSON.stringify({ version: 1, kinds: [] })).toString("base64");
    world.patchStored({ binaryData: { "types.json.gz": foreign, "zonesByType.json.gz": "bm8gZ3ppcA==" } });
    world.region.calls.length = 0;
    await world.refresh();
    expect(world.region.calls).toEqual(["instanceTypes", "zonesByType"]);
  });

  it.each([
    ["a cut text", (text: string) => text.slice(0, text.length / 2)],
    ["a damaged byte", (text: string) => `${text.slice(0, 200)}${text[200] === "A" ? "B" : "A"}${text.slice(201)}`],
    ["no base64", () => "~~~"],
    ["nothing", () => ""],
    ["a gzip of 64 MB", () => gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString("base64")],
    ["JSON that is no object", () => gzipSync("[1,2]").toString("base64")],
  ])("plans with what it has and reads again where a part is %s", async (_, damage) => {
    const world = catalogWorld();
    await world.refresh();
    const before = await world.read();
    const key = "types.json.gz";
    world.patchStored({ binaryData: { [key]: damage(world.stored()?.binaryData?.[key] ?? "") } });
    expect((await world.read()).types).toEqual(before.types);
    world.region.calls.length = 0;
    await world.refresh();
    expect(world.region.calls).toEqual(["instanceTypes"]);
  });

  it("reads again what a clock that was ahead has read", async () => {
    const world = catalogWorld();
    await world.refresh();
    const ahead = { readAt: "2036-01-01T00:00:00.000Z", triedAt: "2036-01-01T00:00:00.000Z" };
    world.patchStored({ data: { types: JSON.stringify(ahead) } });
    world.region.calls.length = 0;
    await world.refresh();
    expect(world.region.calls).toEqual(["instanceTypes"]);
  });

  it("does nothing while another invocation is at it", async () => {
    const world = catalogWorld();
    let releases = () => {};
    world.region.zones = () =>
      new Promise((resolve) => {
        releases = () => resolve(world.region.zonesOfAccount);
      });
    const first = world.refresh();
    await world.advance(1);
    world.invocation.requestId = "request-2";
    await world.refresh();
    expect(world.region.calls.filter((call) => call === "spotPrices")).toHaveLength(1);
    releases();
    world.invocation.requestId = "request-1";
    await first;
  });
});

describe("readCatalog", () => {
  it("falls back to the embedded catalog while none is published, and says so", async () => {
    const world = catalogWorld();
    expect(await world.read()).toBe(embeddedCatalog("us-east-1"));
    expect(world.warnings()).toEqual(["parts of the catalog are the embedded ones"]);
  });

  it("gives the same objects until a part changes, and then the others are still the same", async () => {
    const world = catalogWorld();
    await world.refresh();
    const before = await world.read();
    expect(await world.read()).toBe(before);
    const dearer = new Map([["m5.large", new Map([["us-east-1a", 9]])]]);
    world.region.catalog = { ...world.region.catalog, spotPrices: dearer };
    await world.advance(10 * minute);
    await world.refresh();
    const after = await world.read();
    expect(after.spotPrices).toEqual(dearer);
    expect(after.types).toBe(before.types);
    expect(world.warnings()).toEqual([]);
  });

  it("keeps what it has when a part is of a version that it does not know", async () => {
    const world = catalogWorld();
    await world.refresh();
    const before = await world.read();
    const foreign = gzipSync(JSON.stringify({ version: 1 })).toString("base64");
    world.patchStored({ binaryData: { "onDemandPrices.json.gz": foreign } });
    expect((await world.read()).onDemandPrices).toBe(before.onDemandPrices);
    expect(world.warnings()).toEqual(["parts of the catalog are kept from before"]);
  });
});
