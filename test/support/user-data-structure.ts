import { parse as parseToml } from "smol-toml";
import { parse } from "yaml";
import { mimeText } from "./mime-text.ts";

/** What user data says, by path, whatever its spelling: NodeConfigs, scripts and the arguments of their bootstrap call, TOML. */
export type Structure = ReadonlyMap<string, string>;

export function structureOf(text: string): Structure {
  if (/^MIME-Version/.test(text)) {
    return flat({
      part: mimeText(text).parts.map(({ contentType, content }) => [contentType, contentOf(contentType, content)]),
    });
  }
  return flat(text.startsWith("<powershell>") ? scriptOf(text) : parseToml(text));
}

/** `path: theirs -> ours` wherever two differ. */
export function structureDifferences(theirs: Structure, ours: Structure): readonly string[] {
  const paths = [...new Set([...theirs.keys(), ...ours.keys()])].sort();
  return paths
    .filter((path) => theirs.get(path) !== ours.get(path))
    .map((path) => `${path}: ${theirs.get(path) ?? "nothing"} -> ${ours.get(path) ?? "nothing"}`);
}

function contentOf(contentType: string, content: string): unknown {
  return contentType === "application/node.eks.aws" ? nodeConfigOf(parse(content)) : scriptOf(content);
}

function nodeConfigOf(config: { spec?: { kubelet?: { flags?: string[] } } }): unknown {
  const flags = config.spec?.kubelet?.flags;
  return flags === undefined
    ? config
    : { ...config, spec: { ...config.spec, kubelet: { ...config.spec?.kubelet, flags: flagsOf(flags.join(" ")) } } };
}

/** The lines of a script, and its call of a bootstrap script taken apart. */
function scriptOf(text: string): unknown {
  const lines = text.replaceAll("\\\n", " ").trim().split("\n");
  return {
    line: lines.map((line) =>
      /^(& \$EKSBootstrapScriptFile|\/etc\/eks\/bootstrap\.sh) /.test(line) ? callOf(line) : line,
    ),
  };
}

/** Options with their values, whatever their order; the kubelet's own arguments taken apart once more. */
function callOf(line: string): Readonly<Record<string, unknown>> {
  const words = [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
  const options: Record<string, unknown> = {};
  let name = "program";
  for (const word of words) {
    const isOption = /^--?[A-Za-z]/.test(word) && !word.includes("=");
    if (isOption) {
      name = word;
      options[name] = true;
    } else {
      options[name] = /kubelet-?extra-?args/i.test(name)
        ? flagsOf(word)
        : [options[name] ?? [], word].flat().join(" ").replace("true ", "");
    }
  }
  return options;
}

function flagsOf(text: string): Readonly<Record<string, unknown>> {
  const flags = text
    .replaceAll('"', "")
    .split(/\s+/)
    .filter((flag) => flag !== "");
  return Object.fromEntries(
    flags.map((flag) => {
      const [name = "", ...value] = flag.split("=");
      return [name, value.join("=").split(",").sort()];
    }),
  );
}

function flat(value: unknown, path = ""): Structure {
  if (typeof value !== "object" || value === null) return new Map([[path, JSON.stringify(value)]]);
  const entries = Object.entries(value).flatMap(([key, inner]) => [
    ...flat(inner, path === "" ? key : `${path} / ${key}`),
  ]);
  return entries.length === 0 ? new Map([[path, JSON.stringify(value)]]) : new Map(entries);
}
