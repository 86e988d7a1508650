import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import { type CatalogPart, catalogEncoding } from "../shared/cloud/catalog-encoding.ts";
import { embeddedCatalog } from "../shared/cloud/embedded-catalog.ts";
import { writeResults } from "./results-file.ts";

/**
 * How large the published catalog is, and what it costs a cold function: reading it, and making what a plan uses of it, of every type of EC2
 * with a spot price in six zones. Each run is a process of its own, since the second reading in one is several times faster; the embedded
 * catalog, which stands in where nothing is published, is measured beside it. Milliseconds of the clock, the median of `--runs`.
 */
const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "9" },
    smoke: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    /** Set for the process that measures: reads the parts from standard input. */
    measure: { type: "boolean", default: false },
  },
});

const milliseconds = z.object({ read: z.number(), made: z.number() });
const measured = z.object({
  published: z.record(z.string(), milliseconds),
  embedded: z.number(),
});
const partName = z.enum(["zones", "types", "zonesByType", "onDemandPrices", "spotPrices"]);
const texts = z.record(partName, z.string());

if (options.measure) await measure();
else main();

function main(): void {
  const parts = encodedParts();
  const runs = Array.from({ length: options.smoke ? 1 : Number(options.runs) }, () => inOwnProcess(parts));
  const rows = Object.entries(parts).map(([part, { base64, jsonBytes }]) => ({
    part,
    jsonBytes,
    storedBytes: base64.length,
    readMilliseconds: median(runs.map(({ published }) => published[part]?.read ?? 0)),
    makeMilliseconds: median(runs.map(({ published }) => published[part]?.made ?? 0)),
  }));
  const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const total = {
    part: "all",
    jsonBytes: sum(({ jsonBytes }) => jsonBytes),
    storedBytes: sum(({ storedBytes }) => storedBytes),
    readMilliseconds: sum(({ readMilliseconds }) => readMilliseconds),
    makeMilliseconds: sum(({ makeMilliseconds }) => makeMilliseconds),
  };
  const embedded = median(runs.map((run) => run.embedded));
  if (!options.json) {
    console.log(line(["part", "JSON bytes", "stored bytes", "read ms", "make ms"]));
    for (const row of [...rows, total]) {
      const { part, jsonBytes, storedBytes, readMilliseconds, makeMilliseconds } = row;
      console.log(line([part, jsonBytes, storedBytes, readMilliseconds.toFixed(1), makeMilliseconds.toFixed(1)]));
    }
    console.log(line(["embedded", "", "", "", embedded.toFixed(1)]));
  }
  writeResults("catalog", {
    types: embeddedCatalog().types.length,
    parts: [...rows, total],
    embeddedMilliseconds: embedded,
  });
}

type EncodedParts = Readonly<Record<CatalogPart, { readonly base64: string; readonly jsonBytes: number }>>;

function encodedParts(): EncodedParts {
  const { types, zones, zonesByType, onDemandPrices, spotPrices } = embeddedCatalog();
  const stored = (json: string) => ({
    base64: gzipSync(json, { level: 9 }).toString("base64"),
    jsonBytes: Buffer.byteLength(json),
  });
  // What EC2 tells of each type and the embedded tables do not.
  const told = types.map((facts) => ({
    ...facts,
    networkCards: [facts.eni?.defaultCardInterfaces ?? 1],
    enaSupported: facts.hypervisor !== "xen",
    placementStrategies: ["cluster", "partition", "spread"] as const,
    nestedVirtualization: false,
  }));
  return {
    zones: stored(catalogEncoding.zones.encode(zones.map((name, index) => ({ name, id: `use1-az${index + 1}` })))),
    types: stored(catalogEncoding.types.encode(told)),
    zonesByType: stored(catalogEncoding.zonesByType.encode(zonesByType)),
    onDemandPrices: stored(catalogEncoding.onDemandPrices.encode(onDemandPrices)),
    spotPrices: stored(catalogEncoding.spotPrices.encode(spotPrices)),
  };
}

function inOwnProcess(parts: EncodedParts): z.infer<typeof measured> {
  const input = JSON.stringify(Object.fromEntries(Object.entries(parts).map(([part, { base64 }]) => [part, base64])));
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--measure"], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 24,
  });
  if (status !== 0) throw new Error(stderr);
  return measured.parse(JSON.parse(stdout));
}

async function measure(): Promise<void> {
  let input = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) input += String(chunk);
  const published: Record<string, z.infer<typeof milliseconds>> = {};
  for (const [part, base64] of Object.entries(texts.parse(JSON.parse(input)))) {
    const { decode } = catalogEncoding[partName.parse(part)];
    const startedAt = performance.now();
    const make = decode(gunzipSync(Buffer.from(base64, "base64")).toString("utf8"));
    const readAt = performance.now();
    if (make === undefined) throw new Error(`${part} cannot be read`);
    make();
    published[part] = { read: readAt - startedAt, made: performance.now() - readAt };
  }
  const startedAt = performance.now();
  embeddedCatalog();
  console.log(JSON.stringify({ published, embedded: performance.now() - startedAt }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function line([name = "", ...cells]: readonly (string | number)[]): string {
  return String(name).padEnd(16) + cells.map((cell) => String(cell).padStart(14)).join("");
}
