import { describe, expect, it } from "vitest";
import type { CatalogPort, Zone } from "../../shared/account-ports.ts";
import type { Catalog } from "../../shared/cloud/catalog.ts";

/** One region's EC2 behind a port, as a contract test needs it. */
export interface CatalogContractWorld {
  readonly port: CatalogPort;
  /** Waits for an answer, in whatever time the port lives in. */
  settle<T>(work: Promise<T>): Promise<T>;
  advance(milliseconds: number): Promise<void>;
  /** What the region has: a dozen types and more, spot of most of them, not every type in every zone. */
  readonly catalog: Catalog;
  readonly zones: readonly Zone[];
  /** Room for so many spot instances of each type in the zone. */
  setSpotRoom(zone: string, instances: number): void;
  /** The next call of this API is refused with the code. */
  failNext(api: "DescribeInstanceTypes" | "DescribeSpotPriceHistory" | "GetSpotPlacementScores", code: string): void;
}

type MakeWorld = () => Promise<CatalogContractWorld> | CatalogContractWorld;

/** What every CatalogPort does. */
export function catalogPortContract(name: string, makeWorld: MakeWorld): void {
  describe(`${name} as a CatalogPort`, () => {
    offersContract(makeWorld);
    placementScoreContract(makeWorld);
  });
}

function offersContract(makeWorld: MakeWorld): void {
  it("names every zone with its id", async () => {
    const { port, settle, zones } = await makeWorld();
    const found = await settle(port.zones());
    expect([...found].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(zones);
  });

  it("reads the facts of every type, and of no type that nodes cannot be", async () => {
    const { port, settle, catalog } = await makeWorld();
    const found = new Map((await settle(port.instanceTypes())).map((facts) => [facts.name, facts]));
    expect([...found.keys()].sort()).toEqual(catalog.types.map(({ name }) => name).sort());
    for (const facts of catalog.types) expect(found.get(facts.name)).toMatchObject(facts);
  });

  it("says where each type is", async () => {
    const { port, settle, catalog } = await makeWorld();
    const found = await settle(port.zonesByType());
    const sorted = (zones: ReadonlyMap<string, readonly string[]>) =>
      Object.fromEntries([...zones].map(([type, names]) => [type, [...names].sort()]));
    expect(sorted(found)).toEqual(sorted(catalog.zonesByType));
  });

  it("gives the price of a Linux node on demand, and none for a type without one", async () => {
    const { port, settle, catalog } = await makeWorld();
    const found = await settle(port.onDemandPrices());
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(catalog.onDemandPrices));
    expect(found.size).toBeLessThan(catalog.types.length);
  });

  it("gives the spot price that holds now, by type and zone", async () => {
    const { port, settle, catalog } = await makeWorld();
    const plain = (prices: Catalog["spotPrices"]) =>
      Object.fromEntries([...prices].map(([type, byZone]) => [type, Object.fromEntries(byZone)]));
    expect(plain(await settle(port.spotPrices()))).toEqual(plain(catalog.spotPrices));
  });

  it("fails as a whole, with EC2's code, rather than give a part", async () => {
    const { port, settle, failNext } = await makeWorld();
    failNext("DescribeInstanceTypes", "UnauthorizedOperation");
    await expect(settle(port.instanceTypes())).rejects.toMatchObject({
      name: "ProviderError",
      kind: "Denied",
      code: "UnauthorizedOperation",
    });
    failNext("DescribeSpotPriceHistory", "RequestLimitExceeded");
    await expect(settle(port.spotPrices())).rejects.toMatchObject({ name: "ProviderError", kind: "Throttled" });
  });
}

const day = 86_400_000;
const types = ["m5.large", "m5.xlarge", "t3.micro"];

function placementScoreContract(makeWorld: MakeWorld): void {
  it("scores zones by id, the better the more of the types have room there", async () => {
    const { port, settle, zones, setSpotRoom } = await makeWorld();
    for (const { name } of zones) setSpotRoom(name, 100);
    setSpotRoom(zones[1]?.name ?? "", 1);
    const answer = await settle(port.placementScores({ instanceTypes: types, targetCapacity: 20 }));
    expect(answer.kind === "scores" && Object.fromEntries(answer.byZoneId)).toEqual(
      Object.fromEntries(zones.map(({ id }, index) => [id, index === 1 ? 1 : 10])),
    );
  });

  it("scores fewer than three types low, whatever room they have", async () => {
    const { port, settle, zones } = await makeWorld();
    const answer = await settle(port.placementScores({ instanceTypes: types.slice(0, 2), targetCapacity: 1 }));
    expect(answer.kind === "scores" && [...answer.byZoneId.values()]).toEqual(zones.map(() => 1));
  });

  it("has no signal for an eleventh configuration in one day, and still answers those of that day", async () => {
    const { port, settle, advance } = await makeWorld();
    const scores = (targetCapacity: number) => settle(port.placementScores({ instanceTypes: types, targetCapacity }));
    for (let target = 1; target <= 10; target++) expect(await scores(target)).toMatchObject({ kind: "scores" });
    expect(await scores(11)).toMatchObject({
      kind: "no-signal",
      code: expect.stringMatching("MaxConfigLimitExceeded"),
    });
    expect(await scores(10)).toMatchObject({ kind: "scores" });
    await advance(day);
    expect(await scores(11)).toMatchObject({ kind: "scores" });
  });

  it("has no signal for a target above what the account may ask for", async () => {
    const { port, settle } = await makeWorld();
    const answer = await settle(port.placementScores({ instanceTypes: types, targetCapacity: 100_000 }));
    expect(answer).toMatchObject({ kind: "no-signal", code: expect.stringMatching("TargetCapacityLimitExceeded") });
  });

  it("fails, and does not say no signal, when EC2 is too busy for scores", async () => {
    const { port, settle, failNext } = await makeWorld();
    failNext("GetSpotPlacementScores", "RequestLimitExceeded");
    const asked = settle(port.placementScores({ instanceTypes: types, targetCapacity: 1 }));
    await expect(asked).rejects.toMatchObject({ name: "ProviderError", kind: "Throttled" });
  });
}
