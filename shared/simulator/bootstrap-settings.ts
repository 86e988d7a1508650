import { parse as parseToml } from "smol-toml";
import { parse } from "yaml";
import * as z from "zod";
import { type Taint, taint } from "../api/schema.ts";

/** What a node's kubelet is told by the user data of its instance. */
export interface BootstrapSettings {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly maxPods?: number;
}

/**
 * Read as the images read it (karpenter-aws §5): NodeConfigs, of which the later wins; the kubelet's arguments of a bootstrap script's call in
 * bash or PowerShell; Bottlerocket's settings in TOML. User data without any of them tells the kubelet nothing. Throws on what an image would not read.
 */
export function bootstrapSettings(userData: string): BootstrapSettings {
  const text = userData.replaceAll("\r", "");
  if (/^\s*\[settings/m.test(text) && !/^(MIME-Version|Content-Type):/m.test(text)) return bottlerocketSettings(text);
  const scripts = [...text.matchAll(/-kubelet-?extra-?args[= ]'((?:[^']|'\\''|'')*)'/gi)];
  const found = [
    ...nodeConfigParts(text).map(nodeConfigSettings),
    ...scripts.map(([, args = ""]) => argumentSettings(args)),
  ];
  return found.reduce<BootstrapSettings>(
    (earlier, { labels, taints, maxPods = earlier.maxPods }) => ({
      labels: { ...earlier.labels, ...labels },
      taints: taints ?? earlier.taints,
      ...(maxPods !== undefined && { maxPods }),
    }),
    { labels: {}, taints: [] },
  );
}

type Found = Partial<BootstrapSettings>;

const nodeConfig = z.object({
  apiVersion: z.literal("node.eks.aws/v1alpha1"),
  kind: z.literal("NodeConfig"),
  spec: z.object({
    kubelet: z
      .object({
        config: z
          .object({
            maxPods: z.number().int().exactOptional(),
            registerWithTaints: z.array(taint).nullish(),
          })
          .exactOptional(),
        flags: z.array(z.string()).exactOptional(),
      })
      .exactOptional(),
  }),
});

/** Flags of several NodeConfigs add up. */
function nodeConfigSettings(text: string): Found {
  const { kubelet } = nodeConfig.parse(parse(text)).spec;
  const { maxPods, registerWithTaints: taints } = kubelet?.config ?? {};
  return {
    labels: labelsOfFlags(kubelet?.flags ?? []),
    ...(taints && { taints }),
    ...(maxPods !== undefined && { maxPods }),
  };
}

function nodeConfigParts(text: string): readonly string[] {
  const boundary = /^Content-Type:\s*multipart\/mixed;\s*boundary="?([^"\n]+)"?/im.exec(text)?.[1];
  if (boundary === undefined) return /^kind:\s*NodeConfig\s*$/m.test(text) ? [text] : [];
  const parts = text.split(`\n--${boundary}`).slice(1);
  return parts.flatMap((part) => {
    const end = part.indexOf("\n\n", 1);
    const isNodeConfig = /^Content-Type:\s*application\/node\.eks\.aws/im.test(part.slice(0, end));
    return end > 0 && isNodeConfig ? [part.slice(end + 2)] : [];
  });
}

/** `--node-labels=a=b,c=d --register-with-taints=a=b:NoSchedule --max-pods=5`, quoted or not. */
function argumentSettings(args: string): Found {
  const flags = args.replaceAll('"', "").split(/\s+/);
  const read = (name: string) => flags.map((flag) => flag.split(`--${name}=`)[1]).find((value) => value !== undefined);
  const taints = read("register-with-taints")?.split(",").map(taintOf);
  const maxPods = read("max-pods");
  return {
    labels: labelsOfFlags(flags),
    ...(taints && { taints }),
    ...(maxPods !== undefined && { maxPods: Number(maxPods) }),
  };
}

const bottlerocket = z.object({
  settings: z.object({
    kubernetes: z
      .object({
        "max-pods": z.number().int().exactOptional(),
        "node-labels": z.record(z.string(), z.string()).exactOptional(),
        "node-taints": z.record(z.string(), z.array(z.string())).exactOptional(),
      })
      .exactOptional(),
  }),
});

function bottlerocketSettings(text: string): BootstrapSettings {
  const { kubernetes = {} } = bottlerocket.parse(parseToml(text)).settings;
  const { "max-pods": maxPods, "node-labels": labels = {}, "node-taints": taints = {} } = kubernetes;
  return {
    labels,
    taints: Object.entries(taints).flatMap(([key, values]) => values.map((value) => taintOf(`${key}=${value}`))),
    ...(maxPods !== undefined && { maxPods }),
  };
}

/** `key=value:Effect`; the value may be missing, and the sign before it. */
function taintOf(text: string): Taint {
  const [, key, value, effect] = /^([^=:]+)=?([^:]*):(.*)$/.exec(text) ?? [];
  return taint.parse({ key, effect, ...(value && { value }) });
}

function labelsOfFlags(flags: readonly string[]): Readonly<Record<string, string>> {
  const pairs = flags.flatMap((flag) => /^--node-labels=(.*)$/.exec(flag)?.[1]?.replaceAll('"', "").split(",") ?? []);
  return Object.fromEntries(
    pairs
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)]),
  );
}
