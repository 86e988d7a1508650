import { parse, stringify, TomlError } from "smol-toml";
import { bottlerocketKubernetesKeys } from "./bottlerocket-keys.ts";
import { dnsAddressOf, type NodeBootstrap } from "./node-bootstrap.ts";

export type BottlerocketUserData =
  | { readonly kind: "text"; readonly text: string; readonly ignoredKeys: readonly string[] }
  | { readonly kind: "invalid"; readonly reason: string };

type Table = Readonly<Record<string, unknown>>;

/**
 * Bottlerocket's settings: the person's own, with ours in their place where we have one (karpenter-aws §5.3). Labels add up, taints are ours
 * alone, and keys of `settings.kubernetes` that Bottlerocket does not know are left out, as by Karpenter, because it would refuse them all.
 * Equal input gives equal bytes, whatever the order of its keys.
 */
export function bottlerocketUserData(bootstrap: NodeBootstrap, custom: string): BottlerocketUserData {
  const parsed = parseSettings(custom);
  if (parsed.kind === "invalid") return parsed;
  const { document, settings, kubernetes } = parsed;
  const known = Object.entries(kubernetes).filter(([key]) => bottlerocketKubernetesKeys.has(key));
  const ignoredKeys = Object.keys(kubernetes).filter((key) => !bottlerocketKubernetesKeys.has(key));
  const merged = {
    ...document,
    settings: {
      ...settings,
      ...(bootstrap.instanceStorePolicy === "RAID0" && {
        "bootstrap-commands": { ...tableOf(settings["bootstrap-commands"]), ...mountCommands(bootstrap) },
      }),
      kubernetes: {
        ...Object.fromEntries(known),
        ...kubernetesSettings(bootstrap, tableOf(kubernetes["node-labels"])),
      },
    },
  };
  return { kind: "text", text: stringify(sorted(merged), { numbersAsFloat: true }), ignoredKeys };
}

type ParsedSettings =
  | { readonly kind: "settings"; readonly document: Table; readonly settings: Table; readonly kubernetes: Table }
  | { readonly kind: "invalid"; readonly reason: string };

/** Whole numbers are read as bigints, so that they are told apart from the others when they are written again. */
function parseSettings(custom: string): ParsedSettings {
  try {
    const document = parse(custom.replaceAll("\r\n", "\n"), { integersAsBigInt: true });
    const { settings = {} } = document;
    if (!isTable(settings)) return notTable("settings", settings);
    const { kubernetes = {}, "bootstrap-commands": commands = {} } = settings;
    if (!isTable(commands)) return notTable("settings.bootstrap-commands", commands);
    if (!isTable(kubernetes)) return notTable("settings.kubernetes", kubernetes);
    const { "node-labels": labels = {} } = kubernetes;
    if (!isTable(labels)) return notTable("settings.kubernetes.node-labels", labels);
    return { kind: "settings", document, settings, kubernetes };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.split("\n");
    return { kind: "invalid", reason: `line ${error.line}, column ${error.column}: ${what}; expected TOML` };
  }
}

function notTable(key: string, value: unknown): ParsedSettings {
  const found = Array.isArray(value)
    ? "an array"
    : JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? Number(inner) : inner));
  return { kind: "invalid", reason: `${key}: found ${found}, expected a table` };
}

/** Our settings of `settings.kubernetes`; a value that is undefined is not set. */
function kubernetesSettings(bootstrap: NodeBootstrap, customLabels: Table): Table {
  const { cluster, labels, taints, maxPods, kubelet = {} } = bootstrap;
  const byKey = Map.groupBy(taints, ({ key }) => key);
  const text = (value: number | undefined) => value?.toString();
  const whole = (value: number | undefined) => (value === undefined ? undefined : BigInt(value));
  const settings = {
    "api-server": cluster.endpoint,
    "cluster-certificate": cluster.certificateAuthority,
    "cluster-name": cluster.name,
    "cluster-dns-ip": dnsAddressOf(bootstrap),
    "max-pods": whole(maxPods),
    "node-labels": { ...customLabels, ...labels },
    "node-taints": Object.fromEntries(
      [...byKey].map(([key, same]) => [key, same.map(({ value = "", effect }) => `${value}:${effect}`)]),
    ),
    "system-reserved": kubelet.systemReserved,
    "kube-reserved": kubelet.kubeReserved,
    "eviction-hard": kubelet.evictionHard,
    "eviction-soft": kubelet.evictionSoft,
    "eviction-soft-grace-period": kubelet.evictionSoftGracePeriod,
    "eviction-max-pod-grace-period": whole(kubelet.evictionMaxPodGracePeriod),
    "image-gc-high-threshold-percent": text(kubelet.imageGCHighThresholdPercent),
    "image-gc-low-threshold-percent": text(kubelet.imageGCLowThresholdPercent),
    "cpu-cfs-quota-enforced": kubelet.cpuCFSQuota,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Makes one array of the local disks and puts the pods' directories on it. From 1.46.0 on Bottlerocket knows the directories itself. */
function mountCommands({ imageVersion }: NodeBootstrap): Table {
  const directories = ["/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"];
  const named = isAtLeast(imageVersion, 1, 46) ? [] : ["--dirs", ...directories];
  const commands = [
    ["apiclient", "ephemeral-storage", "init"],
    ["apiclient", "ephemeral-storage", "bind", ...named],
  ];
  return { "000-mount-instance-storage": { commands, essential: true, mode: "always" } };
}

function isAtLeast(version: string | undefined, major: number, minor: number): boolean {
  const [, foundMajor, foundMinor] = /^v?(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  if (foundMajor === undefined || foundMinor === undefined) return false;
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor);
}

function tableOf(value: unknown): Table {
  return isTable(value) ? value : {};
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The same with the keys of every table in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
