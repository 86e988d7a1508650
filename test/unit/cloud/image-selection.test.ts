import { describe, expect, it } from "vitest";
import type { Image } from "../../../shared/account-ports.ts";
import { aliasParameters, chosenImages } from "../../../shared/cloud/image-selection.ts";

const gpu = "karpenter.k8s.aws/instance-gpu-count";
const accelerator = "karpenter.k8s.aws/instance-accelerator-count";
const standard = [`${gpu} DoesNotExist`, `${accelerator} DoesNotExist`];

/** What the alias is looked up by: each parameter with the requirements of the types that it serves. */
function lookedUp(alias: string, version: string): readonly (readonly [string, ...string[]])[] {
  const found = aliasParameters(alias, version);
  if (found.kind === "unsupported") return [];
  return found.parameters.map(({ name, requirements }) => [
    name,
    ...requirements.map(({ key, operator, values }) => [key, operator, ...(values ?? [])].join(" ")),
  ]);
}

describe("aliasParameters", () => {
  const eks = "/aws/service/eks/optimized-ami";

  it("looks al2023@latest up for both architectures, and for GPUs and accelerators where there are such", () => {
    const path = `${eks}/1.34/amazon-linux-2023`;
    expect(lookedUp("al2023@latest", "1.34")).toEqual([
      [`${path}/x86_64/standard/recommended/image_id`, ...standard],
      [`${path}/x86_64/nvidia/recommended/image_id`, `${gpu} Exists`],
      [`${path}/x86_64/neuron/recommended/image_id`, `${accelerator} Exists`],
      [`${path}/arm64/standard/recommended/image_id`, ...standard],
      [`${path}/arm64/nvidia/recommended/image_id`, `${gpu} Exists`],
    ]);
  });

  it("looks a release of AL2023 up by its full name", () => {
    const names = lookedUp("al2023@v20260115", "1.35").map(([name]) => name);
    expect(names).toContain(
      `${eks}/1.35/amazon-linux-2023/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.35-v20260115/image_id`,
    );
    expect(names).toHaveLength(5);
  });

  it("looks AL2 up by three kinds of image, of which the one for GPUs serves accelerators too", () => {
    expect(lookedUp("al2@latest", "1.32")).toEqual([
      [`${eks}/1.32/amazon-linux-2/recommended/image_id`, ...standard],
      [`${eks}/1.32/amazon-linux-2-arm64/recommended/image_id`, ...standard],
      [`${eks}/1.32/amazon-linux-2-gpu/recommended/image_id`, `${gpu} Exists`],
      [`${eks}/1.32/amazon-linux-2-gpu/recommended/image_id`, `${accelerator} Exists`],
    ]);
    const pinned = lookedUp("al2@v20250101", "1.32").map(([name]) => name);
    expect(new Set(pinned)).toEqual(
      new Set([
        `${eks}/1.32/amazon-linux-2/amazon-eks-node-1.32-v20250101/image_id`,
        `${eks}/1.32/amazon-linux-2-arm64/amazon-eks-arm64-node-1.32-v20250101/image_id`,
        `${eks}/1.32/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20250101/image_id`,
      ]),
    );
  });

  it("looks Bottlerocket up with or without the v of its version; the plain x86_64 image serves accelerators too", () => {
    const path = "/aws/service/bottlerocket/aws-k8s-1.34";
    const expected = [
      [`${path}/x86_64/1.51.0/image_id`, ...standard],
      [`${path}/x86_64/1.51.0/image_id`, `${accelerator} Exists`],
      [`${path}/arm64/1.51.0/image_id`, ...standard],
      [`${path}-nvidia/x86_64/1.51.0/image_id`, `${gpu} Exists`],
      [`${path}-nvidia/arm64/1.51.0/image_id`, `${gpu} Exists`],
    ];
    expect(lookedUp("bottlerocket@v1.51.0", "1.34")).toEqual(expected);
    expect(lookedUp("bottlerocket@1.51.0", "1.34")).toEqual(expected);
    expect(lookedUp("bottlerocket@latest", "1.34")[0]?.[0]).toBe(`${path}/x86_64/latest/image_id`);
  });

  it("looks Windows up by its year, for types that run its build", () => {
    const builds = [
      ["2019", "10.0.17763"],
      ["2022", "10.0.20348"],
      ["2025", "10.0.26100"],
    ];
    for (const [year, build] of builds) {
      expect(lookedUp(`windows${year}@latest`, "1.35")).toEqual([
        [
          `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-1.35/image_id`,
          "kubernetes.io/os In windows",
          `node.kubernetes.io/windows-build In ${build}`,
        ],
      ]);
    }
  });

  it("refuses AL2 from Kubernetes 1.33 on, and Windows 2025 before 1.35", () => {
    const supported = (alias: string, version: string) => aliasParameters(alias, version).kind === "parameters";
    expect(["1.32", "1.33", "1.34"].map((version) => supported("al2@latest", version))).toEqual([true, false, false]);
    expect(["1.34", "1.35", "1.36"].map((version) => supported("windows2025@latest", version))).toEqual([
      false,
      true,
      true,
    ]);
    expect(aliasParameters("al2@latest", "1.33")).toMatchObject({ message: expect.stringContaining("al2023@latest") });
  });
});

describe("chosenImages", () => {
  const day = 86_400_000;

  function image(id: string, changes: Partial<Image> = {}): Image {
    return { id, name: id, architecture: "x86_64", createdAt: day, isDeprecated: false, ...changes };
  }

  function chosen(...images: readonly Image[]): readonly string[] {
    return chosenImages(images.map((one) => ({ image: one, requirements: [] }))).map(({ id }) => id);
  }

  it("takes the newest of each architecture, and no other architectures", () => {
    const images = [
      image("ami-1"),
      image("ami-2", { createdAt: 2 * day }),
      image("ami-3", { architecture: "arm64" }),
      image("ami-4", { architecture: "i386", createdAt: 9 * day }),
    ];
    expect(chosen(...images)).toEqual(["ami-2", "ami-3"]);
  });

  it("takes a deprecated image only where there is no other, and says so", () => {
    const old = image("ami-old", { createdAt: 9 * day, isDeprecated: true });
    expect(chosen(old, image("ami-1"))).toEqual(["ami-1"]);
    expect(chosenImages([{ image: old, requirements: [] }])).toMatchObject([{ id: "ami-old", deprecated: true }]);
  });

  it("takes the greater name of two that are as new", () => {
    expect(chosen(image("ami-1", { name: "b" }), image("ami-2", { name: "a" }))).toEqual(["ami-1"]);
    expect(chosen(image("ami-1", { name: "a" }), image("ami-2", { name: "b" }))).toEqual(["ami-2"]);
  });

  it("takes one for each set of requirements, in whatever order they are stated, newest first and then by id", () => {
    const [exists, missing] = [
      { key: gpu, operator: "Exists" as const },
      { key: accelerator, operator: "DoesNotExist" as const },
    ];
    const found = chosenImages([
      { image: image("ami-c"), requirements: [exists, missing] },
      { image: image("ami-b", { createdAt: 0 }), requirements: [missing, exists] },
      { image: image("ami-a"), requirements: [missing] },
      { image: image("ami-d", { createdAt: 5 * day }), requirements: [] },
    ]);
    expect(found.map(({ id }) => id)).toEqual(["ami-d", "ami-a", "ami-c"]);
    expect(found[2]?.requirements).toEqual([
      { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
      exists,
      missing,
    ]);
  });
});
