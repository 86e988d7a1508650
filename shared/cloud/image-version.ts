import { parseAmiAlias } from "../api/ami-alias.ts";
import type { EC2NodeClass } from "../api/ec2-node-class.ts";

/**
 * The release of the image that a node starts from, such as `1.46.0`: what the class's alias pins, else what the image's name in the class's status
 * ends in, else what a selector's name asks for (karpenter-aws §5.3). Undefined: not known.
 */
export function imageVersion({ spec, status }: EC2NodeClass, imageId: string): string | undefined {
  const pinned = spec.amiSelectorTerms.map(({ alias = "" }) => parseAmiAlias(alias)?.version ?? "");
  const image = status?.amis?.find(({ id }) => id === imageId)?.name ?? "";
  const selected = spec.amiSelectorTerms.map(({ name = "" }) => name);
  const versions = [
    ...pinned.map((version) => /^v?(\d+\.\d+\.\d+)$/.exec(version)?.[1]),
    ...[image, ...selected].map((name) => /-v(\d+\.\d+\.\d+)(?:-|\*|$)/.exec(name)?.[1]),
  ];
  return versions.find((version) => version !== undefined);
}
