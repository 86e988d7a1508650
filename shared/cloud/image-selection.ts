import type { Image } from "../account-ports.ts";
import { parseAmiAlias } from "../api/ami-alias.ts";
import type { AmiFamily, EC2NodeClass } from "../api/ec2-node-class.ts";
import { label } from "../api/labels.ts";
import { amiFamilyTraits } from "./ami-family.ts";

type StatusImages = NonNullable<NonNullable<EC2NodeClass["status"]>["amis"]>;
type ImageRequirement = StatusImages[number]["requirements"][number];

/** An SSM parameter that names an image, with what the types that start from it must be. */
export interface ImageParameter {
  readonly name: string;
  readonly requirements: readonly ImageRequirement[];
}

export type AliasParameters =
  | { readonly kind: "parameters"; readonly parameters: readonly ImageParameter[] }
  /** No such image for this version of Kubernetes, now or later. */
  | { readonly kind: "unsupported"; readonly message: string };

/**
 * Where an alias such as `al2023@latest` is looked up, for a minor version of Kubernetes such as `1.34` (karpenter-aws §1.2). One
 * parameter may serve several kinds of type.
 * @throws RangeError for an alias that validation lets not pass.
 */
export function aliasParameters(alias: string, kubernetesVersion: string): AliasParameters {
  const parsed = parseAmiAlias(alias);
  if (parsed === undefined) throw new RangeError(`alias ${JSON.stringify(alias)} names no family of images`);
  const { family, version } = parsed;
  const minor = Number(kubernetesVersion.split(".")[1]);
  if (family === "AL2" && minor >= 33) {
    return unsupported(`AL2 has no images for Kubernetes ${kubernetesVersion}, only up to 1.32; use al2023@latest`);
  }
  if (family === "Windows2025" && minor < 35) {
    return unsupported(
      `Windows2025 has no images for Kubernetes ${kubernetesVersion}, only from 1.35 on; use windows2022@latest`,
    );
  }
  return { kind: "parameters", parameters: parametersOf(family, version, kubernetesVersion) };
}

/**
 * Of all images found, one for each set of requirements: one that is not deprecated before one that is, then the newer, then by name. Those
 * of architectures that no node has are left out. Newest first, as launching takes the first that suits a type.
 */
export function chosenImages(
  found: readonly { readonly image: Image; readonly requirements: readonly ImageRequirement[] }[],
): StatusImages {
  const candidates = found.flatMap(({ image, requirements }) => {
    const arch = arches.get(image.architecture);
    if (arch === undefined) return [];
    const ofImage: ImageRequirement = { key: label.arch, operator: "In", values: [arch] };
    return [{ image, requirements: [ofImage, ...requirements] }];
  });
  const bySet = Map.groupBy(candidates, ({ requirements }) => JSON.stringify(requirements.toSorted(byKey)));
  return [...bySet.values()]
    .flatMap((alike) => alike.toSorted((a, b) => preference(a.image, b.image))[0] ?? [])
    .sort((a, b) => b.image.createdAt - a.image.createdAt || compare(a.image.id, b.image.id))
    .map(({ image, requirements }) => ({
      id: image.id,
      name: image.name,
      ...(image.isDeprecated && { deprecated: true }),
      requirements: [...requirements],
    }));
}

const arches: ReadonlyMap<string, string> = new Map([
  ["x86_64", "amd64"],
  ["arm64", "arm64"],
]);

function preference(a: Image, b: Image): number {
  return (
    Number(a.isDeprecated) - Number(b.isDeprecated) ||
    b.createdAt - a.createdAt ||
    compare(b.name, a.name) ||
    compare(a.id, b.id)
  );
}

type Variant = "standard" | "nvidia" | "neuron";

const [gpuCount, acceleratorCount] = [
  "karpenter.k8s.aws/instance-gpu-count",
  "karpenter.k8s.aws/instance-accelerator-count",
];

const variantRequirements: Readonly<Record<Variant, readonly ImageRequirement[]>> = {
  standard: [
    { key: gpuCount, operator: "DoesNotExist" },
    { key: acceleratorCount, operator: "DoesNotExist" },
  ],
  nvidia: [{ key: gpuCount, operator: "Exists" }],
  neuron: [{ key: acceleratorCount, operator: "Exists" }],
};

function parametersOf(
  family: Exclude<AmiFamily, "Custom">,
  version: string,
  kubernetes: string,
): readonly ImageParameter[] {
  switch (family) {
    case "AL2":
      return al2Parameters(version, kubernetes);
    case "AL2023":
      return al2023Parameters(version, kubernetes);
    case "Bottlerocket":
      return bottlerocketParameters(version, kubernetes);
    case "Windows2019":
    case "Windows2022":
    case "Windows2025":
      return windowsParameters(family, kubernetes);
  }
}

function al2Parameters(version: string, kubernetes: string): readonly ImageParameter[] {
  const kinds = [
    ["amazon-linux-2", "amazon-eks-node", ["standard"]],
    ["amazon-linux-2-arm64", "amazon-eks-arm64-node", ["standard"]],
    ["amazon-linux-2-gpu", "amazon-eks-gpu-node", ["nvidia", "neuron"]],
  ] as const;
  return kinds.flatMap(([kind, image, variants]) => {
    const release = version === "latest" ? "recommended" : `${image}-${kubernetes}-${version}`;
    return serving(`/aws/service/eks/optimized-ami/${kubernetes}/${kind}/${release}/image_id`, variants);
  });
}

function al2023Parameters(version: string, kubernetes: string): readonly ImageParameter[] {
  const kinds = [
    ["x86_64", "standard"],
    ["x86_64", "nvidia"],
    ["x86_64", "neuron"],
    ["arm64", "standard"],
    ["arm64", "nvidia"],
  ] as const;
  return kinds.flatMap(([arch, variant]) => {
    const release =
      version === "latest" ? "recommended" : `amazon-eks-node-al2023-${arch}-${variant}-${kubernetes}-${version}`;
    const path = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${arch}/${variant}/${release}/image_id`;
    return serving(path, [variant]);
  });
}

function bottlerocketParameters(version: string, kubernetes: string): readonly ImageParameter[] {
  const kinds = [
    ["", "x86_64", ["standard", "neuron"]],
    ["", "arm64", ["standard"]],
    ["-nvidia", "x86_64", ["nvidia"]],
    ["-nvidia", "arm64", ["nvidia"]],
  ] as const;
  return kinds.flatMap(([flavour, arch, variants]) => {
    const path = `/aws/service/bottlerocket/aws-k8s-${kubernetes}${flavour}/${arch}/${version.replace(/^v/, "")}/image_id`;
    return serving(path, variants);
  });
}

function windowsParameters(
  family: Extract<AmiFamily, `Windows${string}`>,
  kubernetes: string,
): readonly ImageParameter[] {
  const year = family.slice("Windows".length);
  const name = `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}/image_id`;
  const { windowsBuild = "" } = amiFamilyTraits(family);
  return [
    {
      name,
      requirements: [
        { key: label.os, operator: "In", values: ["windows"] },
        { key: label.windowsBuild, operator: "In", values: [windowsBuild] },
      ],
    },
  ];
}

function serving(name: string, variants: readonly Variant[]): readonly ImageParameter[] {
  return variants.map((variant) => ({ name, requirements: variantRequirements[variant] }));
}

function unsupported(message: string): AliasParameters {
  return { kind: "unsupported", message };
}

function byKey(a: ImageRequirement, b: ImageRequirement): number {
  return compare(a.key, b.key);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
