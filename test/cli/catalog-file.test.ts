import { describe, expect, it } from "vitest";
import { parseCatalog } from "../../cli/catalog-file.ts";
import { describeProblem } from "../../shared/api/problems.ts";
import { fileOf, poolManifests, workloadManifest } from "../support/cli-manifests.ts";
import { folderOf, planOf, planText } from "../support/command-line.ts";

const m5 = { name: "m5.large", onDemandUsdPerHour: 0.2, spotUsdPerHour: { "eu-x-1a": 0.05 } };
const catalogText = (...types: readonly object[]) =>
  JSON.stringify({ region: "eu-x-1", zones: ["eu-x-1a", "eu-x-1b"], types });
const problemsIn = (text: string) => parseCatalog("catalog.json", text).problems.map(describeProblem);

describe("a catalog file", () => {
  it("needs only prices for a type that is known", () => {
    const { catalog, problems } = parseCatalog("catalog.json", catalogText(m5));
    expect(problems).toEqual([]);
    expect(catalog.types).toEqual([expect.objectContaining({ name: "m5.large", vcpus: 2, memoryMib: 8192 })]);
    expect(catalog.onDemandPrices.get("m5.large")).toBe(0.2);
    expect(catalog.spotPrices.get("m5.large")).toEqual(new Map([["eu-x-1a", 0.05]]));
    expect(catalog.zonesByType.get("m5.large")).toEqual(["eu-x-1a", "eu-x-1b"]);
  });

  it("can describe a type that is not known", () => {
    const own = { name: "zz1.large", onDemandUsdPerHour: 1, arch: "arm64", vcpus: 8, memoryMib: 32_768, pods: 50 };
    const { catalog, problems } = parseCatalog("catalog.json", catalogText(own));
    expect(problems).toEqual([]);
    expect(catalog.types).toEqual([expect.objectContaining({ name: "zz1.large", arch: "arm64", pods: 50 })]);
  });

  it.each([
    ["{", "expected a JSON catalog"],
    [catalogText(), "types: found [], expected at least 1"],
    [catalogText({ ...m5, price: 1 }), "types[0].price: found unknown field"],
    [catalogText({ ...m5, onDemandUsdPerHour: "1" }), 'types[0].onDemandUsdPerHour: found "1", expected a number'],
    [catalogText({ ...m5, onDemandUsdPerHour: 0 }), "types[0].onDemandUsdPerHour: found 0, expected more than 0"],
    [catalogText({ ...m5, zones: ["mars"] }), 'types[0].zones[0]: found zone "mars", expected one of'],
    [
      catalogText({ ...m5, spotUsdPerHour: { "us-east-1a": 1 } }),
      `types[0].spotUsdPerHour.us-east-1a: found zone "us-east-1a", expected one of the catalog's zones: eu-x-1a, eu-x-1b`,
    ],
    [catalogText(m5, m5), 'types[1].name: found "m5.large" again, expected each type once'],
    [catalogText({ ...m5, zones: ["eu-x-1a", "eu-x-1a"] }), 'types[0].zones[1]: found "eu-x-1a" again'],
    [catalogText({ name: "zz1.large", arch: "amd64", vcpus: 1, memoryMib: 1 }), "found neither eni nor pods"],
  ])("%s is refused", (text, expected) => {
    expect(problemsIn(text).join("\n")).toContain(expected);
  });

  it("names each zone once, and each of the accepted ones once", () => {
    const zones = ["eu-x-1a", "eu-x-1b", "eu-x-1a"];
    const text = JSON.stringify({ region: "eu-x-1", zones, types: [{ ...m5, zones: ["mars"] }] });
    expect(problemsIn(text)).toEqual([
      'catalog.json, zones[2]: found "eu-x-1a" again, expected each zone once',
      expect.stringMatching(/zones: eu-x-1a, eu-x-1b$/),
    ]);
  });

  it("tells of everything that is wrong at once", () => {
    expect(problemsIn(catalogText({ name: "zz1.large" }, { ...m5, zones: ["mars"] }))).toHaveLength(5);
  });
});

describe("plan --catalog", () => {
  const input = fileOf(...poolManifests(), workloadManifest("Deployment", "web"));

  it("offers what the file sells, at its price", async () => {
    const catalog = `${folderOf({ "catalog.json": catalogText(m5) })}/catalog.json`;
    const { nodeClaims } = await planOf(input, { catalog });
    expect(nodeClaims).toEqual([
      expect.objectContaining({ instanceType: "m5.large", zone: "eu-x-1a", priceUsdPerHour: 0.2 }),
    ]);
  });

  it("refuses a file that is not there, together with what else is wrong", async () => {
    const { exitCode, notes } = await planText("a: [", { catalog: "no-such.json" });
    expect(exitCode).toBe(2);
    expect(notes).toHaveLength(2);
  });

  it("is what a region other than that of the built-in prices is told to use", async () => {
    const { notes } = await planText(input, { region: "eu-central-1" });
    expect(notes.join()).toContain("no prices of eu-central-1: those of us-east-1 stand in");
  });
});
