/** The families an alias may name, in lower case, with the family each stands for (karpenter-aws §1.2). */
const families = {
  al2: "AL2",
  al2023: "AL2023",
  bottlerocket: "Bottlerocket",
  windows2019: "Windows2019",
  windows2022: "Windows2022",
  windows2025: "Windows2025",
} as const;

interface AmiAlias {
  readonly family: (typeof families)[keyof typeof families];
  /** `latest`, or a release such as `v20260115`. */
  readonly version: string;
}

/** `family@version` of an AMI selector term; undefined when it names no family we know. */
export function parseAmiAlias(alias: string): AmiAlias | undefined {
  const [, name = "", version = ""] = /^([a-zA-Z0-9]+)@(.+)$/.exec(alias) ?? [];
  const found = Object.entries(families).find(([known]) => known === name.toLowerCase());
  return found && { family: found[1], version };
}

/** What an alias should have been, when Karpenter would refuse it. */
export function amiAliasFault(alias: string): string | undefined {
  const parsed = parseAmiAlias(alias);
  if (parsed === undefined || alias.length > 30) {
    return `family@version, such as al2023@latest, with a family of ${Object.keys(families).join(", ")}`;
  }
  const pinnedWindows = parsed.family.startsWith("Windows") && parsed.version !== "latest";
  return pinnedWindows ? "the version latest, the only one that Windows families have" : undefined;
}
