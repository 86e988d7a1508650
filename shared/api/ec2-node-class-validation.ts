import { parseAmiAlias } from "./ami-alias.ts";
import { tag } from "./labels.ts";
import { duplicates, type Fault, fault } from "./rules.ts";
import { patternFaults } from "./selector-term-validation.ts";

interface AmiChoice {
  readonly amiFamily?: string;
  readonly amiSelectorTerms: readonly { readonly alias?: string }[];
}
interface Identity {
  readonly role?: string;
  readonly instanceProfile?: string;
}

/** The rules of a whole class's spec, beside those of its parts (karpenter-aws §1.1). */
export function nodeClassSpecFaults(spec: AmiChoice & Identity): readonly Fault[] {
  return [...identityFaults(spec), ...amiFaults(spec)];
}

function identityFaults({ role, instanceProfile }: Identity): readonly Fault[] {
  const expected = "exactly one of role and instanceProfile";
  if (role === undefined && instanceProfile === undefined) return fault(["role"], expected, "neither");
  return role !== undefined && instanceProfile !== undefined ? fault(["instanceProfile"], expected, "both") : [];
}

function amiFaults({ amiFamily, amiSelectorTerms: terms }: AmiChoice): readonly Fault[] {
  const index = terms.findIndex(({ alias }) => alias !== undefined);
  if (index < 0) {
    const unknown = amiFamily === undefined && terms.length > 0;
    return fault(["amiFamily"], unknown ? "an AMI family, as no term has an alias" : undefined);
  }
  const family = parseAmiAlias(terms[index]?.alias ?? "")?.family;
  const agrees = family === undefined || [undefined, family, "Custom"].includes(amiFamily);
  return [
    ...fault(
      ["amiSelectorTerms"],
      terms.length > 1 ? "an alias to be the only term" : undefined,
      `${terms.length} terms with an alias among them`,
    ),
    ...fault(["amiFamily"], agrees ? undefined : `the alias's family, ${family}, or Custom`),
  ];
}

/** Tags that are set on every instance anyway may not be set by the class. */
export function tagFaults(tags: Readonly<Record<string, string>>): readonly Fault[] {
  const reserved: readonly string[] = [tag.clusterName, tag.nodePool, tag.nodeClaim, tag.nodeClass];
  return Object.keys(tags).flatMap((key) => {
    const refused = key === "" || key.startsWith("kubernetes.io/cluster") || reserved.includes(key);
    return fault([key], refused ? "a key other than those set on every instance" : undefined, JSON.stringify(key));
  });
}

export function placementGroupFaults(selector: { readonly name?: string; readonly id?: string }): readonly Fault[] {
  const chosen = [selector.name, selector.id].filter((field) => field !== undefined).length;
  return [
    ...fault([], chosen === 1 ? undefined : "exactly one of name and id", chosen === 0 ? "neither" : "both"),
    ...patternFaults(selector.id, /^pg-[0-9a-z]+$/, "a placement group id such as pg-0123456789abcdef0"),
  ];
}

interface Volume {
  readonly volumeSize?: string;
  readonly snapshotID?: string;
  readonly volumeInitializationRate?: number;
}

const largestVolumes: Readonly<Record<string, number>> = { Gi: 59_000, G: 64_000, Ti: 58, T: 64 };

export function volumeFaults({ volumeSize, snapshotID, volumeInitializationRate }: Volume): readonly Fault[] {
  const bare = volumeSize === undefined && snapshotID === undefined;
  const unseeded = volumeInitializationRate !== undefined && snapshotID === undefined;
  return [
    ...fault(["volumeSize"], bare ? "a volumeSize or a snapshotID" : undefined),
    ...fault(["volumeSize"], volumeSize === undefined ? undefined : volumeSizeFault(volumeSize)),
    ...fault(["volumeInitializationRate"], unseeded ? "a snapshotID beside it" : undefined),
  ];
}

function volumeSizeFault(size: string): string | undefined {
  const [, amount = "0", unit = ""] = /^([1-9]\d*)(Gi|G|Ti|T)$/.exec(size) ?? [];
  const sound = Number(amount) >= 1 && Number(amount) <= (largestVolumes[unit] ?? 0);
  return sound ? undefined : "a whole number of Gi, G, Ti or T up to 64T, such as 20Gi";
}

/** At most one mapping is the root volume. */
export function deviceMappingFaults(mappings: readonly { readonly rootVolume?: boolean }[]): readonly Fault[] {
  const roots = mappings.flatMap(({ rootVolume }, index) => (rootVolume === true ? [index] : []));
  return roots.slice(1).flatMap((index) => fault([index, "rootVolume"], "at most one root volume"));
}

interface NetworkInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  readonly interfaceType: string;
}

/** The primary interface is among them, places are distinct, and a card has at most one interface for EFA alone. */
export function networkInterfaceFaults(interfaces: readonly NetworkInterface[]): readonly Fault[] {
  const placeOf = (entry: NetworkInterface) => `card ${entry.networkCardIndex}, device ${entry.deviceIndex}`;
  const primary = interfaces.some(
    (entry) => placeOf(entry) === "card 0, device 0" && entry.interfaceType === "interface",
  );
  const efaOnly = interfaces.flatMap((entry, index) => (entry.interfaceType === "efa-only" ? [{ entry, index }] : []));
  const crowded = duplicates(efaOnly, ({ entry }) => String(entry.networkCardIndex)).map(
    (at) => efaOnly[at]?.index ?? 0,
  );
  return [
    ...fault([], primary || interfaces.length === 0 ? undefined : "an interface at card 0, device 0", "none there"),
    ...duplicates(interfaces, placeOf).flatMap((index) => fault([index], "each card and device once")),
    ...crowded.flatMap((index) => fault([index, "interfaceType"], "at most one efa-only interface on a card")),
  ];
}

/** At least one timeout is set. */
export function connectionTrackingFaults(tracking: Readonly<Record<string, unknown>>): readonly Fault[] {
  return fault([], Object.keys(tracking).length > 0 ? undefined : "at least one timeout", "none");
}
