import type { InstanceTypeFacts } from "./catalog.ts";
import { accelerators } from "./embedded/accelerators.ts";
import { amdFamilies } from "./embedded/amd-families.ts";
import { gravitonFamilies } from "./embedded/graviton-families.ts";
import { intelFamilies } from "./embedded/intel-families.ts";
import { efaCurves, interfaceCurves, networkBandwidthCurves } from "./embedded/network-curves.ts";
import { ebsBandwidthCurves, nvmeCurves } from "./embedded/storage-curves.ts";

interface EmbeddedFacts {
  readonly types: readonly InstanceTypeFacts[];
  /** On-demand USD per hour in us-east-1, by type. */
  readonly onDemandPrices: ReadonlyMap<string, number>;
}

/** Expands the tables of `embedded/` (their docstrings explain the columns). Throws an Error naming the line if a table is malformed. */
export function embeddedFacts(): EmbeddedFacts {
  const tables: Tables = {
    interfaces: parseCurves(interfaceCurves),
    ebs: parseCurves(ebsBandwidthCurves),
    network: parseCurves(networkBandwidthCurves),
    efa: parseCurves(efaCurves),
    nvme: parseCurves(nvmeCurves),
    chips: parseAccelerators(),
  };
  const families = [
    ...linesOf(intelFamilies).map((line) => parseFamily(line, "amd64", "intel")),
    ...linesOf(amdFamilies).map((line) => parseFamily(line, "amd64", "amd")),
    ...linesOf(gravitonFamilies).map((line) => parseFamily(line, "arm64", "aws")),
  ];
  const sizes = families.flatMap((family) => family.sizes.map((size) => ({ family, size })));
  return {
    types: sizes.map(({ family, size }) => expand(family, size, tables)),
    onDemandPrices: new Map(
      sizes.flatMap(({ family, size }) => {
        const price = size.priceUsdPerHour ?? listPrice(family.rate, size.vcpus);
        return price === undefined ? [] : [[`${family.name}.${size.name}`, price] as const];
      }),
    ),
  };
}

/** Curve name, then size, to value. */
type Curves = ReadonlyMap<string, ReadonlyMap<string, string>>;
type Chips = Pick<InstanceTypeFacts, "gpu" | "accelerator" | "devices">;

interface Tables {
  readonly interfaces: Curves;
  readonly ebs: Curves;
  readonly network: Curves;
  readonly efa: Curves;
  readonly nvme: Curves;
  /** By type name. */
  readonly chips: ReadonlyMap<string, Chips>;
}

interface Size {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMib?: number;
  readonly clockMhz?: number;
  readonly priceUsdPerHour?: number;
}

interface Family {
  readonly name: string;
  readonly arch: InstanceTypeFacts["arch"];
  readonly cpuManufacturer: string;
  readonly flags: string;
  readonly clockMhz: number;
  readonly gibPerVcpu: number;
  readonly rate: string;
  readonly nvme: string;
  readonly interfaces: string;
  readonly ebs: string;
  readonly network: string;
  readonly efa: string;
  readonly sizes: readonly Size[];
}

function expand(family: Family, size: Size, tables: Tables): InstanceTypeFacts {
  const name = `${family.name}.${size.name}`;
  const bareMetal = size.name.startsWith("metal");
  const [, interfaces, addresses, branches] =
    /^(\d+)x(\d+)(?:\/(\d+))?$/.exec(read(tables.interfaces, family.interfaces, size) ?? "") ?? [];
  const pods = /^pods=(\d+)$/.exec(family.interfaces)?.[1];
  const nvmeGbPerVcpu = Number(family.nvme);
  const nvme = nvmeGbPerVcpu > 0 ? nvmeGbPerVcpu * size.vcpus : read(tables.nvme, family.nvme, size);
  const ebs = read(tables.ebs, family.ebs, size);
  const network = read(tables.network, family.network, size);
  return {
    name,
    arch: family.arch,
    vcpus: size.vcpus,
    memoryMib: size.memoryMib ?? Math.round(family.gibPerVcpu * 1024 * size.vcpus),
    cpuManufacturer: family.cpuManufacturer,
    cpuClockMhz: size.clockMhz ?? family.clockMhz,
    hypervisor: bareMetal ? "" : family.flags.startsWith("n") ? "nitro" : "xen",
    bareMetal,
    encryptionInTransit: family.flags.includes("e"),
    nitroEnclaves: false,
    ...(ebs !== undefined && { ebsBandwidthMbps: Number(ebs) }),
    ...(network !== undefined && { networkBandwidthMbps: Number(network) }),
    ...(nvme !== undefined && { localNvmeGb: Number(nvme) }),
    ...(interfaces !== undefined && {
      eni: { defaultCardInterfaces: Number(interfaces), ipv4PerInterface: Number(addresses) },
    }),
    ...(pods !== undefined && { pods: Number(pods) }),
    branchInterfaces: Number(branches ?? 0),
    efaInterfaces: Number(read(tables.efa, family.efa, size) ?? 0),
    ...(tables.chips.get(name) ?? { devices: {} }),
  };
}

function read(curves: Curves, curve: string, size: Size): string | undefined {
  if (curve === "-" || curve.startsWith("pods=")) return undefined;
  const values = curves.get(curve);
  if (values === undefined) throw new Error(`embedded catalog: no curve is named ${curve}`);
  return values.get(size.name) ?? values.get("*");
}

/** `rate~decimals` is USD per vCPU-hour; 5 decimals if none are given. */
function listPrice(rate: string, vcpus: number): number | undefined {
  if (rate === "-") return undefined;
  const [usdPerVcpu, decimals = "5"] = rate.split("~");
  return Number((Number(usdPerVcpu) * vcpus).toFixed(Number(decimals)));
}

function parseFamily(line: string, arch: InstanceTypeFacts["arch"], cpuManufacturer: string): Family {
  const [name, flags, clock, gib, rate, nvme, interfaces, ebs, network, efa, ...sizes] = line.split(/\s+/);
  if (!name || !flags || !rate || !nvme || !interfaces || !ebs || !network || !efa || sizes.length === 0) {
    throw malformed(line);
  }
  const virtual = sizes.filter((size) => !/^metal(\W|$)/.test(size)).map((size) => parseSize(size, 0).vcpus);
  return {
    ...{ name, arch, cpuManufacturer, flags, rate, nvme, interfaces, ebs, network, efa },
    clockMhz: Number(clock),
    gibPerVcpu: Number(gib),
    sizes: sizes.map((size) => parseSize(size, Math.max(...virtual))),
  };
}

/** `name:vcpus/memoryMib@clockMhz$usdPerHour`, all but the name optional. */
function parseSize(text: string, largestVcpus: number): Size {
  const [, short, vcpus, memory, clock, price] =
    /^([\w-]+)(?::(\d+))?(?:\/(\d+))?(?:@(\d+))?(?:\$([\d.]+))?$/.exec(text) ?? [];
  if (short === undefined) throw malformed(text);
  return {
    name: longSize(short),
    vcpus: vcpus === undefined ? usualVcpus(short, largestVcpus) : Number(vcpus),
    ...(memory !== undefined && { memoryMib: Number(memory) }),
    ...(clock !== undefined && { clockMhz: Number(clock) }),
    ...(price !== undefined && { priceUsdPerHour: Number(price) }),
  };
}

function usualVcpus(size: string, largestVcpus: number): number {
  if (size === "metal") return largestVcpus;
  if (size === "medium") return 1;
  if (size === "large") return 2;
  const multiple = /^(?:metal-)?(\d*)xl?$/.exec(size)?.[1];
  if (multiple === undefined) throw malformed(size);
  return 4 * Number(multiple || 1);
}

function parseCurves(table: string): Curves {
  return new Map(
    linesOf(table).map((line) => {
      const [name = "", ...steps] = line.split(/\s+/);
      const values = steps.flatMap((step) => {
        const [sizes = "", value] = step.split("=");
        if (value === undefined) throw malformed(line);
        return sizes.split(",").map((size) => [longSize(size), value] as const);
      });
      return [name, new Map(values)];
    }),
  );
}

function parseAccelerators(): ReadonlyMap<string, Chips> {
  return new Map(
    linesOf(accelerators).flatMap((line) => {
      const [family, kind, name = "", manufacturer = "", perDevice, ...sizes] = line.split(/\s+/);
      return sizes.map((text) => {
        const [, size = "", countText, memory] = /^(\w+):(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
        const count = Number(countText);
        const chips =
          kind === "gpu"
            ? gpuChips(name, manufacturer, count, Number(memory ?? perDevice))
            : acceleratorChips(name, manufacturer, count, Number(perDevice));
        return [`${family}.${longSize(size)}`, chips] as const;
      });
    }),
  );
}

function gpuChips(name: string, manufacturer: string, count: number, memoryMib: number): Chips {
  return {
    gpu: { name, manufacturer, count, memoryMib },
    devices: count > 0 ? { [`${manufacturer}.com/gpu`]: count } : {},
  };
}

function acceleratorChips(name: string, manufacturer: string, count: number, coresPerDevice: number): Chips {
  const neuron = { "aws.amazon.com/neuron": count, "aws.amazon.com/neuroncore": count * coresPerDevice };
  return { accelerator: { name, manufacturer, count }, devices: coresPerDevice > 0 ? neuron : {} };
}

function longSize(short: string): string {
  return short.replace(/^(\d*)x$/, "$1xlarge");
}

function linesOf(table: string): readonly string[] {
  return table.trim().split("\n");
}

function malformed(text: string): Error {
  return new Error(`embedded catalog: malformed entry "${text}"`);
}
