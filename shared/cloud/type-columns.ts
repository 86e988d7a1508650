import type { InstanceTypeFacts, PlacementStrategy } from "./catalog.ts";
import { type ColumnReader, readColumn, writeColumn } from "./letter-column.ts";

/** Types as they are published: a column for each fact. */
interface TypeColumns {
  readonly names: readonly string[];
  readonly columns: object;
}

type Fact = Exclude<keyof InstanceTypeFacts, "name">;
type Value<F extends Fact> = NonNullable<InstanceTypeFacts[F]>;

/** What each fact may be: ours, but a person may have had hands on it. */
const isFact: { readonly [F in Fact]: (value: unknown) => value is Value<F> } = {
  arch: (value): value is Value<"arch"> => value === "amd64" || value === "arm64",
  vcpus: isAmount,
  memoryMib: isAmount,
  cpuManufacturer: isText,
  cpuClockMhz: isAmount,
  hypervisor: isText,
  bareMetal: isFlag,
  encryptionInTransit: isFlag,
  nitroEnclaves: isFlag,
  ebsBandwidthMbps: isAmount,
  networkBandwidthMbps: isAmount,
  localNvmeGb: isAmount,
  eni: (value): value is Value<"eni"> =>
    isObject(value) && isAmount(value.defaultCardInterfaces) && isAmount(value.ipv4PerInterface),
  pods: isAmount,
  branchInterfaces: isAmount,
  efaInterfaces: isAmount,
  networkCards: (value): value is Value<"networkCards"> => Array.isArray(value) && value.every(isAmount),
  enaSupported: isFlag,
  placementStrategies: (value): value is Value<"placementStrategies"> =>
    Array.isArray(value) && value.every(isStrategy),
  nestedVirtualization: isFlag,
  gpu: (value): value is Value<"gpu"> => isAccelerator(value) && "memoryMib" in value && isAmount(value.memoryMib),
  accelerator: isAccelerator,
  devices: (value): value is Value<"devices"> => isObject(value) && Object.values(value).every(isAmount),
};

export function writeTypeColumns(types: readonly InstanceTypeFacts[]): TypeColumns {
  const facts = Object.keys(isFact).filter((fact): fact is Fact => types.some((type) => fact in type));
  return {
    names: types.map(({ name }) => name),
    columns: Object.fromEntries(facts.map((fact) => [fact, writeColumn(types.map((type) => type[fact] ?? null))])),
  };
}

/**
 * Undefined when these are no types. Every value is looked at, which are few; the objects are made when they are first asked for, since
 * that takes longer than all the rest of reading.
 */
export function readTypeColumns(stored: Readonly<Record<string, unknown>>): (() => InstanceTypeFacts[]) | undefined {
  const { names, columns } = stored;
  if (!Array.isArray(names) || !names.every(isText) || !isObject(columns)) return undefined;
  const readers = readersOf(columns, names.length);
  return readers && (() => names.map((name, row) => factsOf(name, row, readers)));
}

type Readers = ReturnType<typeof uncheckedReaders>;

function readersOf(columns: Readonly<Record<string, unknown>>, count: number): Readers | undefined {
  try {
    return uncheckedReaders(columns, count);
  } catch (error) {
    if (error instanceof UnreadableColumn) return undefined;
    throw error;
  }
}

class UnreadableColumn extends Error {}

function uncheckedReaders(columns: Readonly<Record<string, unknown>>, count: number) {
  const all = <F extends Fact>(fact: F): ColumnReader<Value<F>> =>
    readable(readColumn(columns[fact], isFact[fact], count));
  const some = <F extends Fact>(fact: F): ColumnReader<Value<F> | null> => {
    const isOne = isFact[fact];
    const isOneOrNone = (value: unknown): value is Value<F> | null => value === null || isOne(value);
    return columns[fact] === undefined ? () => null : readable(readColumn(columns[fact], isOneOrNone, count));
  };
  return {
    arch: all("arch"),
    vcpus: all("vcpus"),
    memoryMib: all("memoryMib"),
    cpuManufacturer: all("cpuManufacturer"),
    cpuClockMhz: some("cpuClockMhz"),
    hypervisor: all("hypervisor"),
    bareMetal: all("bareMetal"),
    encryptionInTransit: all("encryptionInTransit"),
    nitroEnclaves: all("nitroEnclaves"),
    ebsBandwidthMbps: some("ebsBandwidthMbps"),
    networkBandwidthMbps: some("networkBandwidthMbps"),
    localNvmeGb: some("localNvmeGb"),
    eni: some("eni"),
    pods: some("pods"),
    branchInterfaces: all("branchInterfaces"),
    efaInterfaces: all("efaInterfaces"),
    networkCards: some("networkCards"),
    enaSupported: some("enaSupported"),
    placementStrategies: some("placementStrategies"),
    nestedVirtualization: some("nestedVirtualization"),
    gpu: some("gpu"),
    accelerator: some("accelerator"),
    devices: all("devices"),
  };
}

function readable<T>(column: ColumnReader<T> | undefined): ColumnReader<T> {
  if (column === undefined) throw new UnreadableColumn();
  return column;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Fact by fact, and no others: spreading would take several times as long for a thousand types. */
function factsOf(name: string, row: number, read: Readers): InstanceTypeFacts {
  const facts: Mutable<InstanceTypeFacts> = {
    name,
    arch: read.arch(row),
    vcpus: read.vcpus(row),
    memoryMib: read.memoryMib(row),
    cpuManufacturer: read.cpuManufacturer(row),
    hypervisor: read.hypervisor(row),
    bareMetal: read.bareMetal(row),
    encryptionInTransit: read.encryptionInTransit(row),
    nitroEnclaves: read.nitroEnclaves(row),
    branchInterfaces: read.branchInterfaces(row),
    efaInterfaces: read.efaInterfaces(row),
    devices: read.devices(row),
  };
  const cpuClockMhz = read.cpuClockMhz(row);
  if (cpuClockMhz !== null) facts.cpuClockMhz = cpuClockMhz;
  const ebsBandwidthMbps = read.ebsBandwidthMbps(row);
  if (ebsBandwidthMbps !== null) facts.ebsBandwidthMbps = ebsBandwidthMbps;
  const networkBandwidthMbps = read.networkBandwidthMbps(row);
  if (networkBandwidthMbps !== null) facts.networkBandwidthMbps = networkBandwidthMbps;
  const localNvmeGb = read.localNvmeGb(row);
  if (localNvmeGb !== null) facts.localNvmeGb = localNvmeGb;
  const eni = read.eni(row);
  if (eni !== null) facts.eni = eni;
  const pods = read.pods(row);
  if (pods !== null) facts.pods = pods;
  const networkCards = read.networkCards(row);
  if (networkCards !== null) facts.networkCards = networkCards;
  const enaSupported = read.enaSupported(row);
  if (enaSupported !== null) facts.enaSupported = enaSupported;
  const placementStrategies = read.placementStrategies(row);
  if (placementStrategies !== null) facts.placementStrategies = placementStrategies;
  const nestedVirtualization = read.nestedVirtualization(row);
  if (nestedVirtualization !== null) facts.nestedVirtualization = nestedVirtualization;
  const gpu = read.gpu(row);
  if (gpu !== null) facts.gpu = gpu;
  const accelerator = read.accelerator(row);
  if (accelerator !== null) facts.accelerator = accelerator;
  return facts;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** JSON has neither NaN nor infinity, and EC2 has no less than nothing. */
function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isStrategy(value: unknown): value is PlacementStrategy {
  return value === "cluster" || value === "partition" || value === "spread";
}

function isAccelerator(value: unknown): value is NonNullable<InstanceTypeFacts["accelerator"]> {
  return isObject(value) && isText(value.name) && isText(value.manufacturer) && isAmount(value.count);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
